// What the server advises is told in words that VS Code knows.
import * as assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { PALETTE_NAMES, inPalette, settingIn } from '../../src/advice';

const { commands } = JSON.parse(readFileSync('package.json', 'utf8')).contributes;
const isSetting = (key: string) => ['command', 'minMessages'].includes(key);

test('every command that the server names in what it tells has a name in the palette', () => {
  const folder = '../../memory_ls/server/commands';
  const modules = readdirSync(folder).filter((name) => name.endsWith('.py') && name !== '__init__.py');
  const named = modules.flatMap(
    (name) => readFileSync(`${folder}/${name}`, 'utf8').match(/\bmemoryLs\.[a-z]\w*/gi) ?? [],
  );
  assert.ok(named.includes('memoryLs.history'));
  assert.deepEqual(
    [...new Set(named)].filter((id) => !(id in PALETTE_NAMES)),
    [],
  );
  const titles = commands.map(({ title }: { title: string }) => title);
  assert.deepEqual(
    Object.values(PALETTE_NAMES).filter((name) => !titles.includes(name)),
    [],
  );
});

test('advice names commands and settings as VS Code shows them', () => {
  assert.equal(
    inPalette('memoryLs.history tells what was changed.', isSetting),
    '“Memory: History” tells what was changed.',
  );
  assert.equal(inPalette('Set `command`. See `ferry`.', isSetting), 'Set `memoryLs.command`. See `ferry`.');
  assert.equal(inPalette('Choose the provider `command`.', isSetting), 'Choose the provider `command`.');
});

test('the setting that an advice names can be opened', () => {
  assert.equal(settingIn('Correct `x`, or raise `minMessages`.', isSetting), 'minMessages');
  assert.equal(settingIn('Try again.', isSetting), undefined);
});
