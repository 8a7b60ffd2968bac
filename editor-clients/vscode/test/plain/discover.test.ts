// Discovery by the table that the server and all clients share.
import * as assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { after, describe, it } from 'node:test';
import { directoriesBelow, directoryOf, isMemoryDirectory, projectDirectory } from '../../src/discover';

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

describe("the project's directory in the agents' home", () => {
  const at = (...names: string[]) => path.join(scratch, 'homes', ...names);
  const projects = at('home', '.claude', 'projects');
  const keyOf = (folder: string) => folder.replace(/[^A-Za-z0-9]/gu, '-');
  const file = (name: string, text: string) => make(at(), { title: '', questions: {}, files: { [name]: text } });
  const ask = (folder: string) => projectDirectory(folder, at('home'));

  it('has a key in which all but letters and digits is replaced', async () => {
    assert.equal(await ask(at('my quay_1.2/船⛵😀')), path.join(projects, keyOf(at('my quay_1.2/船⛵😀')), 'memory'));
  });

  it('is that of the repository, and of the main work tree', async () => {
    file('repo/.git/worktrees/tree/commondir', '../..\n');
    file('tree/.git', 'gitdir: ../repo/.git/worktrees/tree\n');
    const wanted = path.join(projects, keyOf(at('repo')), 'memory');
    assert.equal(await ask(at('repo', 'src', 'deep')), wanted);
    assert.equal(await ask(at('tree')), wanted);
  });

  it("is the folder's own where a pointer leads nowhere", async () => {
    file('lost/.git', 'no pointer');
    assert.equal(await ask(at('lost')), path.join(projects, keyOf(at('lost')), 'memory'));
  });

  it('is found by what a long key keeps', async () => {
    const folder = at('long-'.repeat(30), 'path-'.repeat(30));
    const kept = `${keyOf(folder).slice(0, 200)}-h4sh`;
    file(`home/.claude/projects/${kept}/memory/tides.md`, '');
    assert.equal(await ask(folder), path.join(projects, kept, 'memory'));
    assert.ok(await isMemoryDirectory(await ask(folder)));
    assert.ok(!(await isMemoryDirectory(await ask(at('lost')))));
  });
});
