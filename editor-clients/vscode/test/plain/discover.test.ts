// Discovery by the table that the server and all clients share.
import * as assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { after, describe, it } from 'node:test';
import { directoriesBelow, directoryOf } from '../../src/discover';

interface Case {
  readonly title: string;
  readonly files: Record<string, string | null>;
  readonly symlinks?: Record<string, string>;
  readonly named?: string[];
  readonly home?: string;
  readonly questions: {
    readonly directoryOf?: Record<string, string | null>;
    readonly directoriesBelow?: Record<string, string[]>;
  };
}

const TABLE = path.resolve('../../tests/directory/discovery_cases.json'); // from the extension's folder
const { cases } = JSON.parse(readFileSync(TABLE, 'utf8')) as { cases: Case[] };
const scratch = realpathSync(mkdtempSync(path.join(tmpdir(), 'memory-ls-discover-')));
after(() => rmSync(scratch, { recursive: true }));

function make(root: string, { files, symlinks = {} }: Case): void {
  for (const name of [...Object.keys(files), ...Object.keys(symlinks)]) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
  }
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(path.join(root, name), text ?? '');
  }
  for (const [name, target] of Object.entries(symlinks)) {
    symlinkSync(target, path.join(root, name));
  }
}

function relative(root: string, directory: string | undefined): string | null {
  return directory === undefined ? null : path.relative(root, directory) || '.';
}

describe('the shared table', () => {
  let asked = 0;
  for (const [number, each] of cases.entries()) {
    it(each.title, async () => {
      const root = path.join(scratch, String(number));
      make(root, each);
      const named = (each.named ?? []).map((name) => path.join(root, name));
      for (const [file, wanted] of Object.entries(each.questions.directoryOf ?? {})) {
        assert.equal(relative(root, directoryOf(path.join(root, file), named)), wanted, file);
        asked++;
      }
      const home = path.join(root, each.home ?? 'nobody');
      for (const [start, wanted] of Object.entries(each.questions.directoriesBelow ?? {})) {
        const below: string[] = [];
        for await (const directory of directoriesBelow(path.join(root, start), named, home)) {
          below.push(relative(root, directory)!);
        }
        assert.deepEqual(below.sort(), wanted, start);
        asked++;
      }
    });
  }
  it('asks many questions', () => assert.ok(asked > 60, String(asked)));
});
