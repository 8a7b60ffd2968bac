// The commands about memories and their directories in the real VS Code, used as a user does.
import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import {
  INPUT,
  answer,
  applied,
  change,
  command,
  dialog,
  fill,
  hint,
  key,
  press,
  read,
  row,
  state,
  undone,
} from './hand';
import { plans, untilNoDiff } from './reviewing';
import { click, found, makeFiles, memory, open, project, saidOf, until, write } from './workspace';

const tideFile = path.join(memory, 'tide-table.md');
const rotaFile = path.join(memory, 'rota.md');
const OLD = '---\nname: ebb\ndescription: 落潮\ntype: project\nupdated: 2020-02-03\n---\n\nLow water.\n';

function active(): string | undefined {
  return vscode.window.activeTextEditor?.document.uri.fsPath;
}

function codeOf({ code }: vscode.Diagnostic): unknown {
  return typeof code === 'object' ? code.value : code;
}

async function setScope(scope: string | undefined): Promise<void> {
  const before = saidOf('workspace/didChangeConfiguration').length;
  const settings = vscode.workspace.getConfiguration('memoryLs');
  await settings.update('diagnosticScope', scope, vscode.ConfigurationTarget.Global);
  await until('the server is told', () => saidOf('workspace/didChangeConfiguration').length > before);
}

describe('the commands', () => {
  let was: Record<string, string>;

  before(async () => {
    makeFiles();
    write(path.join(memory, 'ebb.md'), OLD);
    await open(tideFile);
    await until('the server answers', () => found(tideFile).length > 0);
  });

  beforeEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.commands.executeCommand('notifications.clearAll');
    was = state();
  });

  it('write a new memory, and say at once why a name can not be', async () => {
    const done = command('newMemory');
    await fill('What is it called?', 'rota');
    await hint('There is a memory with this name already.');
    await fill('New Memory', 'MEMORY');
    await hint('links take it for the index');
    await fill('New Memory', '水門-lock');
    await click('.quick-input-widget:not(:has-text("links take"))', 'look');
    await key('Enter');
    assert.match(await click(row('feedback'), 'look'), /corrections and confirmed ways of working/);
    await click(row('project'));
    await fill('What does it say', 'When: the lock is "open"');
    await key('Enter');
    await done;
    await until('it is open', () => active() === path.join(memory, '水門-lock.md'));
    const editor = vscode.window.activeTextEditor!;
    assert.match(editor.document.getText(), /^---\nname: 水門-lock\n[^]*lock is[^]*type: project\n[^]*---\n$/);
    assert.equal(editor.document.offsetAt(editor.selection.active), editor.document.getText().length);
    assert.ok(state()['MEMORY.md']!.includes('](水門-lock.md)'));
    await command('undo');
    await read('Undone: ');
    assert.deepEqual(state(), was);
  });

  it('write nothing when the user gives up on the way', async () => {
    const done = command('newMemory');
    await fill('What is it called?', 'weir');
    await key('Enter');
    await click(row('user'));
    await fill('What does it say', 'x');
    await key('Escape');
    await done;
    assert.deepEqual(state(), was);
  });

  it('show a memory while the user moves through the list, and open the one that is chosen', async () => {
    await open(path.join(project, 'README.md'));
    const done = command('showMemory');
    assert.match(await click(row('ebb'), 'look'), /project · \d+ years ago · .*stale[^]*落潮/);
    await fill('Show Memory', '落潮');
    await until('it is shown', () => active() === path.join(memory, 'ebb.md'));
    await key('Escape');
    await done;
    await until('all is as before', () => active() === path.join(project, 'README.md'));
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    const looked = command('showMemory');
    await fill('Show Memory', '落潮');
    await until('it is shown', () => active() === path.join(memory, 'ebb.md'));
    await key('Escape');
    await looked;
    await until('nothing is left open', () => vscode.window.tabGroups.activeTabGroup.tabs.length === 0);
    const again = command('showMemory');
    await fill('Show Memory', 'steers');
    await until('it is shown', () => active() === path.join(memory, 'harbour-pilot.md'));
    await key('Enter');
    await again;
    await until('it is open', () => active() === path.join(memory, 'harbour-pilot.md'));
    assert.equal(vscode.window.tabGroups.activeTabGroup.activeTab?.isPreview, false);
  });

  it('delete a memory when that is confirmed, and tell before which links go dead', async () => {
    const done = command('deleteMemory');
    await click(row('harbour-pilot'));
    const words = await dialog();
    assert.match(words, /Delete the memory “harbour-pilot”\?/);
    assert.match(words, /harbour-pilot\.md and its entry in MEMORY\.md go/);
    assert.match(words, /Links to `harbour-pilot` go dead in .*tide-table\.md/);
    await answer('Cancel');
    await done;
    assert.deepEqual(state(), was);
  });

  it('tell of unsaved text before they ask anything, and go on when it is saved', async () => {
    await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(rotaFile)); // which is not kept after
    await until('it is open', () => active() === rotaFile);
    const { document } = vscode.window.activeTextEditor!;
    const end = document.positionAt(document.getText().length);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, end, 'More.\n');
    const files = vscode.workspace.getConfiguration('files');
    await files.update('autoSave', 'off', vscode.ConfigurationTarget.Global);
    await vscode.workspace.applyEdit(edit);
    await command('deleteMemory', document.uri);
    assert.equal(
      (await read('unsaved')).trim(),
      'rota.md has unsaved text in the editor. Save it or take it back, then try again.',
    );
    await press('Save and Try Again');
    assert.match(await dialog(), /Delete the memory “rota”\?/);
    await answer('Cancel');
    assert.equal(state()['rota.md'], `${was['rota.md']}More.\n`);
    await files.update('autoSave', undefined, vscode.ConfigurationTarget.Global);
    write(rotaFile, was['rota.md']!);
    await until('all is as before', () => document.getText() === was['rota.md']);
  });

  it('delete the memory that a view means, which can be undone', async () => {
    for (const meant of [
      vscode.Uri.file(tideFile),
      { uri: vscode.Uri.file(tideFile).toString() },
      { name: 'tide-table' },
    ]) {
      await open(tideFile);
      const done = command('deleteMemory', meant);
      await answer('Delete');
      await done;
      assert.equal(fs.existsSync(tideFile), false);
      assert.equal(active(), undefined); // nothing is shown that is gone
      await read('Deleted: tide-table.');
      await undone(was);
      await vscode.commands.executeCommand('notifications.clearAll');
    }
    const late = command('deleteMemory', vscode.Uri.file(rotaFile));
    await dialog();
    fs.rmSync(rotaFile);
    await answer('Delete');
    await late;
    await read('no such memory any more');
    write(rotaFile, was['rota.md']!);
    await vscode.commands.executeCommand('notifications.clearAll');
    await command('deleteMemory', { name: 'no-such-memory' });
    await read('no such memory any more');
  });

  it('delete the memory that is chosen in the view, by its key and by its menu', async () => {
    const chosen = '.pane:has([aria-label*="Memories"]) .monaco-list-row:has-text("ebb")';
    await vscode.commands.executeCommand('memoryLs.memories.focus');
    await click(chosen);
    await click(chosen, 'Delete');
    assert.match(await dialog(), /Delete the memory “ebb”\?[^]*The file ebb\.md goes\./);
    await answer('Cancel');
    assert.deepEqual(state(), was);
    await click(chosen, 'menu');
    await click('.monaco-menu .action-item:has-text("Delete Memory")', 'choose');
    await answer('Delete');
    await read('Deleted: ebb.');
    assert.ok(!('ebb.md' in state()));
    await undone(was);
    await click(chosen, 'look');
  });

  it('delete all memories when that is confirmed, which can be undone', async () => {
    const refused = command('clear');
    assert.match(await dialog(), /Delete all 4 memories in project\/\.claude\/memory\?/);
    await answer('Cancel');
    await refused;
    assert.deepEqual(state(), was);
    const done = command('clear');
    await answer('Delete All');
    await done;
    assert.deepEqual(Object.keys(state()), ['MEMORY.md']);
    await read('4 memories were deleted.');
    await undone(was);
    await until('the server has them', () => found(tideFile).length > 0);
  });

  it('check all files, also where only open ones are told of, and double nothing', async () => {
    await setScope('open');
    await until('nothing is told', () => found(rotaFile).length === 0);
    await command('checkAll');
    assert.deepEqual(found(rotaFile).map(codeOf), ['memory-not-indexed']);
    await click('.markers-panel .monaco-list-row:has-text("rota.md")', 'look');
    await read('4 memories: 3 warnings, 1 hint');
    await open(rotaFile);
    await until('the server tells of it', () => found(rotaFile).some(({ code }) => typeof code === 'object'));
    assert.deepEqual(found(rotaFile).map(codeOf), ['memory-not-indexed']);
    assert.deepEqual(found(path.join(memory, 'ebb.md')).map(codeOf), ['memory-not-indexed', 'stale']);
    write(path.join(memory, 'ebb.md'), OLD.replace('Low', 'Lowest'));
    await until('what has changed is no longer told of', () => found(path.join(memory, 'ebb.md')).length === 0);
    write(path.join(memory, 'ebb.md'), OLD);
    await setScope(undefined);
    await until('the server tells of all', () => found(path.join(memory, 'ebb.md')).length === 2);
    await vscode.commands.executeCommand('workbench.action.closePanel');
  });

  for (const [name, isIn] of [
    ['organiseIndex', /\]\(ebb\.md\)[^]*\[Harbour pilot\]/],
    ['rebuildIndex', /\]\(ebb\.md\)/],
  ] as const) {
    it(`change the index when that was seen: ${name}`, async () => {
      const done = command(name);
      await click('.monaco-diff-editor', 'look');
      assert.deepEqual(state(), was);
      await applied();
      await done;
      await until('it is written', () => state()['MEMORY.md'] !== was['MEMORY.md']);
      assert.match(state()['MEMORY.md']!, isIn);
      await undone(was);
    });
  }

  it('mark those of the old memories that the user picks', async () => {
    const none = command('markStale');
    const seen = await click(row('ebb'), 'look');
    assert.match(seen, /years ago/);
    assert.doesNotMatch(seen, /stale/); // which it is not yet
    assert.deepEqual(await plans(), []);
    await key('Escape');
    await none;
    assert.deepEqual(state(), was);
    const done = command('markStale');
    await click(row('ebb'), 'look');
    await key('Enter');
    await done;
    assert.match(state()['ebb.md']!, /status: stale/);
    await read('One memory was marked as stale.');
    await undone(was);
    assert.deepEqual(await plans(), []);
  });

  it('throw away all that is proposed when that is confirmed', async () => {
    await vscode.commands.executeCommand('memoryLs.markStale', { names: ['rota', 'ebb'], preview: true });
    await command('reviewPlans');
    const all = '.pane:has([aria-label*="Pending Changes"]) .action-label[aria-label^="Discard Proposed"]';
    for (const [button, left] of [
      ['Cancel', 1],
      ['Discard', 0],
    ] as const) {
      await click(change('rota'), 'look');
      await click(all, 'choose');
      assert.match(await dialog(), /Discard these changes\?/);
      await answer(button);
      await until(`${left} plan waits`, async () => (await plans()).length === left);
    }
    await untilNoDiff();
    assert.deepEqual(state(), was);
  });

  it('show what agents are given, in either form', async () => {
    for (const [form, text] of [
      ['summaries', /## harbour-pilot\nwho steers/],
      ['index', /\[潮位\]\(tide-table\.md\)/],
    ] as const) {
      const done = command('showInjection');
      await click(row(form));
      await done;
      const { document } = vscode.window.activeTextEditor!;
      assert.notEqual(document.uri.scheme, 'file');
      assert.match(document.getText(), text);
    }
  });

  it('open the one memory directory in the explorer', async () => {
    await command('openDirectory');
    await click('.explorer-folders-view .monaco-list-row.selected:has-text("MEMORY.md")', 'look');
  });

  it('make a memory directory in a folder, which is served and can be taken back', async () => {
    const folder = path.join(project, 'docs', '記憶');
    fs.mkdirSync(folder, { recursive: true });
    await command('newDirectory', vscode.Uri.file(folder));
    await until('it is open', () => active() === path.join(folder, 'MEMORY.md'));
    await read('A memory directory was made: project/docs/記憶.');
    await vscode.commands.executeCommand('notifications.clearAll');
    const empty = command('clear');
    await click(row('docs/記憶'));
    await read('There is no memory in project/docs/記憶 yet.');
    await press('New Memory');
    await click(row('docs/記憶'));
    await fill('What is it called?', 'gull');
    await key('Escape');
    await empty;
    const first = path.join(folder, 'gull.md');
    write(first, '---\nname: gull\ndescription: d\ntype: user\n---\n\n[[nobody]]\n');
    await open(first);
    await until('it is served', () => found(first).some(({ message }) => message.includes('nobody')));
    await vscode.commands.executeCommand('notifications.clearAll');
    await command('newDirectory', vscode.Uri.file(folder));
    await read('project/docs/記憶 is a memory directory already.');
    await press('Open It');
    await until('it is open', () => active() === path.join(folder, 'MEMORY.md'));
  });

  it('ask which directory is meant where there are several', async () => {
    const done = command('clear');
    await click(row('docs/記憶'));
    assert.match(await dialog(), /Delete the only memory in project\/docs\/記憶\?/);
    await answer('Cancel');
    await done;
    const opened = command('openDirectory');
    await click(`${row('docs/記憶')}:has-text("1 memory")`, 'look');
    await click(row('.claude/memory'));
    await opened;
    const made = command('newMemory');
    await click(row('docs/記憶'));
    await fill('What is it called?', 'gull');
    await hint('There is a memory with this name already.');
    await key('Escape');
    await made;
  });

  it('tell of the memory directories that are there, and make another where the user says', async () => {
    const opened = command('newDirectory');
    await click(`${INPUT}:has([placeholder*="There is one already"])`, 'look');
    await click(`${row('.claude/memory')}:has-text("4 memories")`);
    await opened;
    await until('it is open', () => active() === path.join(memory, 'MEMORY.md'));
    const made = command('newDirectory');
    await click(`${row('.claude/projects')}:has-text("in your home directory")`);
    await made;
    const isUsual = (file?: string) => /\.claude\/projects\/.*project\/memory\/MEMORY\.md$/.test(file ?? '');
    await until('it is open', () => isUsual(active()));
    await press('Undo');
    await read('Undone: ');
    await until('it is shown no longer', () => !isUsual(active()));
  });
});
