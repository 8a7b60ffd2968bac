// What the memories view shows, and how old it says that things are.
import * as assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { daysAgo, timeOf } from '../../src/ages';
import { GroupNode, Node, becomes, changes, found, marked, tree } from '../../src/memory_tree';
import { Entry, Known, Memory } from '../../src/overview';

const ONE = '/p/.claude/memory';
const TWO = '/p/notes';

function memory(name: string, type: string | null = 'user', directory = ONE, description = ''): Memory {
  const path = `${name}.md`;
  return { name, description, type, path, directory, uri: `file://${directory}/${path}`, updated: null, stale: false };
}

function entry(id: string, time: string, paths: string[], more: Partial<Entry> = {}): Entry {
  const files = paths.map((path) => ({ path, kind: 'edit' as const, newPath: null }));
  return { id, time, title: id, source: 'external', undone: false, directory: ONE, files, ...more };
}

function known(memories: Memory[], history: Entry[] = []): Known {
  const directories = [...new Set([ONE, ...memories.map(({ directory }) => directory)])].map((path) => ({
    path,
    memories: 1,
    index: null,
  }));
  return {
    status: { trusted: true, provider: 'offline', configured: ['offline'], directories, work: [], pendingPlans: [] },
    memories,
    history,
  };
}

const NAMES = (directory: string) => directory;

/** A tree as words: groups with what is in them. */
function words(nodes: readonly Node[]): unknown[] {
  return nodes.map((node) =>
    'children' in node ? [node.label, ...words(node.children)] : node.kind === 'memory' ? node.name : node.path,
  );
}

describe('the tree of memories', () => {
  it('is by type, in a steady order, with all unknown types in one group', () => {
    const memories = [
      memory('r', 'reference'),
      memory('x', 'mood'),
      memory('u'),
      memory('n', null),
      memory('p', 'project'),
    ];
    assert.deepEqual(words(tree(known(memories), {}, NAMES)), [
      ['User', 'u'],
      ['Project', 'p'],
      ['Reference', 'r'],
      ['Other', 'x', 'n'],
    ]);
  });

  it('is by directory first where there are several', () => {
    const memories = [memory('a'), memory('b', 'feedback'), memory('a', 'user', TWO)];
    const top = tree(known(memories), {}, NAMES);
    assert.deepEqual(words(top), [
      [ONE, ['User', 'a'], ['Feedback', 'b']],
      [TWO, ['User', 'a']],
    ]);
    assert.deepEqual(
      top.map(({ count }) => count),
      [2, 1],
    );
    const ids = JSON.stringify(top).match(/"id":"[^"]*"/g)!;
    assert.equal(new Set(ids).size, ids.length);
  });

  it('is searched for words anywhere, in any case and width', () => {
    const memories = [memory('Tide', 'user', ONE, '水位 and ＦＬＯＯＤ'), memory('tides', 'project'), memory('rota')];
    const names = (text: string) => found(memories, text).map(({ name }) => name);
    assert.deepEqual(names('TIDE'), ['Tide', 'tides']);
    assert.deepEqual(names('flood tide'), ['Tide']);
    assert.deepEqual(names('水位'), ['Tide']);
    assert.deepEqual(names('project'), ['tides']);
    assert.deepEqual(names('  '), ['Tide', 'tides', 'rota']);
    assert.deepEqual(names('['), []);
    const top = tree(known(memories), {}, NAMES, 'tide');
    assert.deepEqual(words(top), [
      ['User', 'Tide'],
      ['Project', 'tides'],
    ]);
    // Not those of all memories, which may be closed.
    const ids = new Set(tree(known(memories), {}, NAMES).map(({ id }) => id));
    assert.ok(top.every(({ id }) => !ids.has(id)));
  });
});

describe('what changed', () => {
  const history = [
    entry('4', '2026-03-04T10:00:00+00:00', ['MEMORY.md', 'a.md']),
    entry('3', '2026-03-03T10:00:00+00:00', ['b.md'], { source: 'undo' }),
    entry('2', '2026-03-02T10:00:00+00:00', ['c.md'], { undone: true }),
    entry('1', '2026-03-01T10:00:00+00:00', ['MEMORY.md'], { source: 'plan' }),
  ];
  const paths = (mark: string | undefined) =>
    changes(history, mark === undefined ? {} : { [ONE]: mark }).map(({ path }) => path);

  it('is what is newer than the mark and still stands, the index only where nothing else changed', () => {
    assert.deepEqual(paths('2026-02-01T00:00:00Z'), ['a.md', 'MEMORY.md']);
    assert.deepEqual(paths('2026-03-02T00:00:00Z'), ['a.md']);
    assert.deepEqual(paths('2026-03-04T11:00:00+01:00'), []);
  });

  it('is told by the names of memories where they are known, else by the names of their files', () => {
    const renamed = entry('5', '2026-03-05T10:00:00Z', []);
    const files = [
      { path: 'team/d.md', kind: 'delete' as const, newPath: null },
      { path: 'e.md', kind: 'rename' as const, newPath: 'f.md' },
    ];
    const index = { ...renamed, id: '6', files: [{ path: 'MEMORY.md', kind: 'create' as const, newPath: null }] };
    const called = (directory: string, path: string) => (directory === ONE && path === 'f.md' ? '潮位' : undefined);
    const names = changes([index, { ...renamed, files }], { [ONE]: '2026-03-01T00:00:00Z' }, called).map(
      ({ name }) => name,
    );
    assert.deepEqual(names, ['MEMORY.md', 'd', '潮位']);
  });

  it('is nothing in a directory that is seen for the first time, and nothing once it is looked at', () => {
    assert.deepEqual(paths(undefined), []);
    const marks = marked(known([], history), '2026-05-01T00:00:00Z');
    assert.deepEqual(marks, { [ONE]: history[0]!.time });
    assert.deepEqual(changes(history, marks), []);
    assert.deepEqual(marked(known([]), '2026-05-01T00:00:00Z'), { [ONE]: '2026-05-01T00:00:00Z' });
  });
});

describe('a tree that is shown', () => {
  const grown = (memories: Memory[]): GroupNode[] => [...tree(known(memories), {}, NAMES)];

  it('keeps its groups and tells those with other children', () => {
    const shown = grown([memory('a'), memory('p', 'project')]);
    const [user] = shown;
    assert.deepEqual(becomes(shown, grown([memory('a'), memory('b'), memory('p', 'project')])), [user]);
    assert.deepEqual(words(shown), [
      ['User', 'a', 'b'],
      ['Project', 'p'],
    ]);
    assert.equal(user!.count, 2);
    assert.deepEqual(becomes(shown, grown([memory('a'), memory('b'), memory('p', 'project')])), []);
  });

  it('is shown anew where groups come or go', () => {
    assert.equal(becomes(grown([memory('a')]), grown([memory('a'), memory('p', 'project')])), undefined);
    assert.equal(becomes([], grown([memory('a')])), undefined);
  });

  it('changes below the directories alone', () => {
    const shown = grown([memory('a'), memory('a', 'user', TWO)]);
    const others = becomes(shown, grown([memory('a'), memory('a', 'user', TWO), memory('b', 'project', TWO)]));
    assert.deepEqual(
      others?.map(({ label }) => label),
      [TWO],
    );
    assert.deepEqual(words(shown)[1], [TWO, ['User', 'a'], ['Project', 'b']]);
  });
});

describe('an age', () => {
  const now = new Date(2026, 2, 10, 0, 30);

  it('is told in the words of the language', () => {
    const told = (day: string) => daysAgo(day, 'en', now);
    assert.equal(told('2026-03-10'), 'today');
    assert.equal(told('2026-03-09'), 'yesterday');
    assert.equal(told('2026-03-07'), '3 days ago');
    assert.equal(told('2026-02-24'), '2 weeks ago');
    assert.equal(told('2026-02-03'), '5 weeks ago');
    assert.equal(told('2026-01-08'), '2 months ago');
    assert.equal(told('2025-01-01'), '14 months ago');
    assert.equal(told('2024-01-01'), '2 years ago');
    assert.equal(told('2026-03-11'), 'tomorrow');
    assert.equal(daysAgo('2026-03-07', 'de', now), 'vor 3 Tagen');
    assert.equal(daysAgo('2026-03-07', 'zh-cn', now), '3天前');
  });

  it('of a change is its time, with the day where that is another', () => {
    const local = (day: number) => new Date(2026, 2, day, 9, 5).toISOString();
    assert.match(timeOf(local(10), 'en', now), /^9:05\sAM$/);
    assert.match(timeOf(local(9), 'en', now), /^Mar 9, 2026, 9:05\sAM$/);
  });
});
