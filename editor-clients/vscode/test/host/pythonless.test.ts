// Where there is neither Python nor a memory-ls.
import * as assert from 'node:assert/strict';
import * as path from 'node:path';
import { paletteCommands, wordsOf, wordsSeen } from './helps';
import { makeFiles, memory, open } from './workspace';

const INSTALL = /(needs Python 3\.11|No memory-ls was found: install it).*memoryLs\.server\.path/;
// These need no server.
const BY_ITSELF: Record<string, RegExp> = {
  'memoryLs.ui.setApiKey': /Set API Key/,
};

describe('without Python', () => {
  it('a memory that is opened brings one sentence', async () => {
    makeFiles();
    await open(path.join(memory, 'tide-table.md'));
    assert.match(await wordsSeen(), INSTALL);
  });

  it('every command tells what to install, or does without', async function () {
    this.timeout(120_000);
    for (const id of await paletteCommands()) {
      const words = await wordsOf(id);
      assert.match(words, BY_ITSELF[id] ?? INSTALL, `${id}: ${words}`);
    }
  });
});
