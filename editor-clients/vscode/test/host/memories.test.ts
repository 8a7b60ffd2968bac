// The memories view and the language status items in the real VS Code, clicked through as a user does.
import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { answer, dialog, hint, press, read } from './hand';
import { click, found, makeFiles, memory, open, project, until, write } from './workspace';

const VIEW = '.pane:has([aria-label*="Memories"])';
const TITLE = '.sidebar .composite.title';
/** A row of the tree. */
const row = (text: string) => `${VIEW} .monaco-list-row:has-text("${text}")`;
/** That of the memory itself, and not of a change of it. */
const own = (text: string) =>
  `${VIEW} .monaco-list-row:not(:has-text("added")):not(:has-text("deleted")):has-text("${text}")`;
const INPUT = '.quick-input-widget:not([style*="display: none"]) input[type="text"]';

const file = (name: string) => path.join(memory, name);
const text = (name: string) => fs.readFileSync(file(name), 'utf8');

/** A change in the list of what is new. */
const changed = (text: string, what: string) => `${VIEW} .monaco-list-row:has-text("${text}"):has-text("${what}")`;

/** Types a name into the field that is open. */
async function type(name: string): Promise<void> {
  await click(INPUT, 'Control+A');
  for (const key of name) await click(INPUT, key);
}

/** The files that have an editor, in order. */
function shown(): string[] {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.map(({ input }) => (input instanceof vscode.TabInputText ? path.basename(input.uri.fsPath) : ''));
}

function isAllSaved(): boolean {
  return vscode.workspace.textDocuments.every(({ isDirty }) => !isDirty);
}

async function gone(selector: string): Promise<void> {
  await click(`body:not(:has(${selector}))`, 'look');
}

function day(daysAgo: number): string {
  const date = new Date();
  date.setDate(date.getDate() - daysAgo);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

describe('the memories view', () => {
  before(async () => {
    await vscode.commands.executeCommand('memoryLs.memories.focus');
  });

  it('tells in a window without memories what to do', async () => {
    const words = await click(`${VIEW} .welcome-view-content`, 'look');
    assert.match(words, /no memory directory/);
    assert.match(words, /New Memory Directory Here/);
    await click(`${VIEW} .welcome-view-content a:has-text("walkthrough")`);
    await click('.gettingStartedContainer :text("Memories of coding agents")', 'look');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.commands.executeCommand('memoryLs.memories.focus');
  });

  it('lists memories by type, with their ages and faults', async () => {
    makeFiles();
    write(
      file('fresh.md'),
      `---\nname: fresh\ndescription: "*new* [x](command:y) 漢"\ntype: user\nupdated: ${day(3)}\n---\n\nX.\n`,
    );
    write(file('old.md'), '---\nname: old\ndescription: long ago\ntype: project\nupdated: 2020-02-03\n---\n\nX.\n');
    await open(file('tide-table.md'));
    await until('the server answers', () => found(file('tide-table.md')).length > 0);
    await click(row('User'), 'look');
    assert.match(await click(row('fresh'), 'look'), /3 days ago/);
    assert.match(await click(row('old'), 'look'), /years ago · stale/);
    await click(`${row('tide-table')}[aria-label*="1 problem"]`, 'look');
    await click(`${row('tide-table')} .codicon-warning`, 'look');
    const list = await click(`${VIEW} .monaco-list`, 'look');
    const order = ['User', 'fresh', 'harbour-pilot', 'Project', 'old', 'rota', 'Reference', 'tide-table'];
    assert.deepEqual(
      order.map((name) => list.indexOf(name)),
      order.map((name) => list.indexOf(name)).toSorted((one, other) => one - other),
    );
  });

  it('tells what a memory is about when the mouse rests on it, in plain text', async () => {
    await click(row('fresh'), 'hover');
    assert.match(await click('.monaco-hover :text("漢")', 'look'), /\*new\* \[x\]\(command:y\) 漢/);
  });

  it('opens a memory', async () => {
    await click(row('rota'));
    await until('it is open', () => vscode.window.activeTextEditor?.document.uri.fsPath === file('rota.md'));
  });

  it('follows what other programs do, and undoes it after a question that names all of it', async () => {
    const was = text('rota.md');
    write(file('rota.md'), was.replace('Who is where', 'Who is when'));
    write(file('buoys.md'), '---\nname: 浮标\ndescription: where\ntype: reference\n---\n\nX.\n');
    await click(row('Changed Since You Last Looked'), 'look');
    await click(changed('浮标', 'added · '), 'look');
    await click(own('浮标'), 'look');
    await click(changed('rota', 'edited'));
    const active = () => vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    await until('the change is shown', () => active() instanceof vscode.TabInputTextDiff);
    const tab = active() as vscode.TabInputTextDiff;
    assert.equal((await vscode.workspace.openTextDocument(tab.original)).getText(), was);
    await click('.activitybar .action-item:has([aria-label*="Memory"]) .badge-content:has-text("2")', 'look');

    const now = text('rota.md');
    for (const button of ['Cancel', 'Undo All']) {
      assert.equal(text('rota.md'), now);
      await click(changed('rota', 'edited'), 'menu');
      await click('.monaco-menu .action-item:has-text("Undo This Change")', 'choose');
      assert.match(
        await dialog(),
        /2 files were changed together[^]*(rota: edited[^]*浮标: added|浮标: added[^]*rota: edited)/,
      );
      await answer(button);
    }
    await read('Undone: ');
    assert.equal(text('rota.md'), was);
    assert.ok(!fs.existsSync(file('buoys.md')));
    await gone(row('Changed Since You Last Looked'));
    await gone(row('浮标'));
  });

  it('forgets what changed when the user has looked at it', async () => {
    write(file('piers.md'), '---\nname: piers\ndescription: where\ntype: reference\n---\n\nX.\n');
    await click(row('Changed Since You Last Looked'), 'hover');
    await click(`${row('Changed Since You Last Looked')} .action-label[aria-label*="Mark All"]`, 'choose');
    await gone(row('Changed Since You Last Looked'));
    await click(row('piers'), 'look');
  });

  it('is searched while one types', async () => {
    await click(`${TITLE} .action-label[aria-label*="Search Memories"]`);
    for (const key of 'hArbour') await click(INPUT, key);
    await gone(row('rota'));
    await click(row('harbour-pilot'), 'look');
    await click(INPUT, 'Enter');
    await click(`${VIEW} :text("1 found for")`, 'look');
    await click(`${TITLE} .action-label[aria-label*="Clear Search"]`);
    await click(row('rota'), 'look');
  });

  it('renames a memory with its file, its links and its entry, all of it on the disk, and back', async () => {
    // As most have it on their desktops: what an editor holds is on no disk.
    const files = vscode.workspace.getConfiguration('files');
    await files.update('autoSave', 'off', vscode.ConfigurationTarget.Global);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.commands.executeCommand('notifications.clearAll');
    await open(file('harbour-pilot.md'));
    const names = ['MEMORY.md', 'rota.md', 'tide-table.md', 'harbour-pilot.md'];
    const was = names.map(text);
    await click(own('harbour-pilot'), 'menu');
    await click('.monaco-menu .action-item:has-text("Rename Memory")', 'choose');
    await type('lotse');
    await click(INPUT, 'Escape');
    assert.deepEqual(names.map(text), was);
    await click(own('harbour-pilot'), 'menu');
    await click('.monaco-menu .action-item:has-text("Rename Memory")', 'choose');
    await type('lotse');
    await click(INPUT, 'Enter');
    await read('Renamed: harbour-pilot is lotse now.');
    const renamed = names.map((name) => text(name.replace('harbour-pilot', 'lotse')));
    assert.deepEqual(
      renamed,
      was.map((each) => each.replaceAll('harbour-pilot', 'lotse')),
    );
    assert.ok(!fs.existsSync(file('harbour-pilot.md')));
    assert.ok(isAllSaved());
    await until('its editor follows', () => shown().join() === 'lotse.md');
    await gone(own('harbour-pilot'));
    await click(own('lotse'), 'look');
    await press('Undo');
    await read('Undone: Rename harbour-pilot to lotse.');
    assert.deepEqual(names.map(text), was);
    await until('its editor follows', () => shown().join() === 'harbour-pilot.md');
    await gone(own('lotse'));
    await files.update('autoSave', undefined, vscode.ConfigurationTarget.Global);
  });

  it('renames by key a memory that is called as its file is', async () => {
    write(file('no name.md'), 'Just text.\n');
    write(file('links.md'), '---\nname: links\ndescription: d\ntype: user\n---\n\n[[no name]]\n');
    await click(own('no name'));
    await click(own('no name'), 'F2');
    await type('named');
    await click(INPUT, 'Enter');
    await until('the file is renamed', () => fs.existsSync(file('named.md')));
    await until('the link follows', () => text('links.md').includes('[[named]]'));
    await click(own('named'), 'look');
  });

  it('tells while one types why a memory cannot be called so', async () => {
    write(file('plain.md'), 'Just text.\n');
    await click(own('plain'));
    await click(own('plain'), 'F2');
    for (const [wanted, words] of [
      ['../out', 'it holds a path separator'],
      ['rota', 'There is already a file rota.md'],
      [' ', 'A memory needs a name.'],
    ] as const) {
      await type(wanted);
      await hint(words);
      await click(INPUT, 'Enter'); // which does nothing
    }
    await click(INPUT, 'Escape');
    assert.equal(text('plain.md'), 'Just text.\n');
  });

  it('keeps closed what the user closed', async () => {
    await click(`${row('Reference')} .monaco-tl-twistie`);
    await gone(row('tide-table'));
    write(file('cranes.md'), '---\nname: cranes\ndescription: where\ntype: user\n---\n\nX.\n');
    await click(row('cranes'), 'look');
    await gone(row('tide-table'));
    await click(`${row('Reference')} .monaco-tl-twistie`);
    await click(row('tide-table'), 'look');
  });

  it('lists several directories by their names', async () => {
    write(path.join(project, 'notes', 'MEMORY.md'), '- [Tides](tides.md)\n');
    await click(row('notes'), 'look');
    await click(row('tides'), 'look');
    assert.ok((await click(`${VIEW} .monaco-list`, 'look')).includes('.claude/memory'));
    fs.rmSync(path.join(project, 'notes', 'MEMORY.md'));
    await gone(row('tides'));
  });
});

describe('the status', () => {
  it('tells how many memories there are and what is used of the load limit', async () => {
    await open(file('tide-table.md'));
    await click('.statusbar-item[id="status.languageStatus"]');
    assert.match(await click('.hover-language-status:has-text("memories")', 'look'), /Memory: \d+ memories/);
    assert.match(await click('.hover-language-status:has-text("load limit")', 'look'), /% of the load limit · offline/);
  });

  it('warns when hardly more of the index would be loaded', async () => {
    const settings = vscode.workspace.getConfiguration('memoryLs');
    await settings.update('indexMaxLines', 4, vscode.ConfigurationTarget.Global);
    await vscode.commands.executeCommand('memoryLs.memories.focus');
    await open(file('tide-table.md'));
    await click('.statusbar-item[id="status.languageStatus"]');
    // So VS Code marks what a warning is told of; with nothing to tell it has a tick.
    await click('.hover-language-status:has(.codicon-info):has-text("of the load limit")', 'look');
    await settings.update('indexMaxLines', undefined, vscode.ConfigurationTarget.Global);
  });

  it('tells of plans that wait', async () => {
    const candidates = [{ name: 'gull', type: 'user', description: 'A bird', content: 'It cries.' }];
    await vscode.commands.executeCommand('memoryLs.consolidate', { candidates, mode: 'preview' });
    await vscode.commands.executeCommand('memoryLs.memories.focus');
    await open(file('tide-table.md'));
    await click('.statusbar-item[id="status.languageStatus"]');
    await click('.hover-language-status:has-text("1 pending plan")', 'look');
  });
});
