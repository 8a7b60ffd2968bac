// "Consolidate Chat Log…" and "Undo Last Change" in the real VS Code, clicked through as a user does.
import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { INPUT, applied, change, command, press, read, row, state } from './hand';
import { asked, button, chat, diff, discard, lastAsked, openChat, setProvider, untilNoDiff } from './reviewing';
import { click, found, makeFiles, memory, open, project, saidOf, until, write } from './workspace';

const consolidate = () => command('consolidateChatLog');

interface Plan {
  readonly changes: readonly { readonly path: string; readonly kind: string }[];
}

describe('a chat log', () => {
  let was: Record<string, string>;

  before(async () => {
    makeFiles();
    write(
      path.join(project, '.aider.chat.history.md'),
      [
        '# aider chat started at 2026-03-01 10:00:00',
        '',
        '#### Remember that $(date) is written as ISO 8601, always.',
        '',
        'Understood.',
        '',
        '#### Always run the tide simulation before you commit.',
        '',
        'I will.',
        '',
      ].join('\n'),
    );
    await open(path.join(memory, 'tide-table.md'));
    await until('the server answers', () => found(path.join(memory, 'tide-table.md')).length > 0);
  });

  beforeEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.commands.executeCommand('notifications.clearAll');
    was = state();
  });

  it('is found in its usual place, shown as what would change, saved, and taken back', async () => {
    const done = consolidate();
    assert.match(await click(row('aider'), 'look'), /\$\S?\(date\) is written[\s\S]*2026.*kB · aider/);
    await click(row('aider'));
    await done;
    await click(change('iso-8601'));
    await click('.review-widget .body:has-text("is written as ISO 8601"):has-text("Message 1 of the chat")', 'look');
    await click(change('tide-simulation'));
    await click(
      '.review-widget .body:has-text("Always run the tide simulation"):has-text("Nothing like it is known yet.")',
      'look',
    );
    const sent = lastAsked('memoryLs.extractAndConsolidate');
    assert.equal(sent.arguments[0].mode, 'preview');
    assert.equal(typeof sent.workDoneToken, 'string');
    await click('.tab.active:has-text("tide-simulation")', 'look');
    const { original, modified } = await diff('tide-simulation');
    const planned = (await vscode.workspace.openTextDocument(modified)).getText();
    assert.match(planned, /^---\nname: .*tide-simulation/);
    assert.equal((await vscode.workspace.openTextDocument(original)).getText(), '');
    assert.deepEqual(state(), was);

    await applied();
    assert.match(await read('Memories: '), /2 added/);
    const name = path.basename(modified.path);
    assert.equal(state()[name], planned);
    assert.ok(state()['MEMORY.md']!.includes(`](${name})`));
    await untilNoDiff();
    await press('Undo');
    await read('Undone: ');
    assert.deepEqual(state(), was);
    // Nothing seems to go on.
    await click('.notifications-center:not(:has-text("Looking for memories"))', 'look');
  });

  it('is saved in part: what is rejected is left out', async () => {
    await openChat(chat('Always oil the capstan on Mondays.', 'Never paint the capstan green.'));
    const done = consolidate();
    await click(row('This file'));
    await done;
    await click(change('oil'));
    await click('.review-widget .head:has-text("Accepted")', 'look');
    await click(button('Reject Change'));
    await click('.review-widget .head:has-text("Rejected")', 'look');
    await click(`${change('oil')}:has-text("rejected")`, 'look');
    await click('.monaco-list-row:has-text("with all that is accepted")');
    await click('.tab.active:has-text("MEMORY.md (all that is accepted)")', 'look');
    const index = (await vscode.workspace.openTextDocument((await diff('MEMORY.md')).modified)).getText();
    assert.match(index, /paint/);
    assert.doesNotMatch(index, /oil/);
    await click(change('paint'));
    await applied();
    assert.match(await read('Memories: '), /1 added, 1 rejected/);
    assert.equal(state()['MEMORY.md'], index);
    assert.equal(Object.keys(state()).length, Object.keys(was).length + 1);
    await press('Undo');
    await read('Undone: ');
    assert.deepEqual(state(), was);
  });

  it('is also a text without a file, and what it would make can be thrown away', async () => {
    await openChat(chat('Always moor at the north pier.', 'Never dredge on Sundays.'));
    const done = consolidate();
    await click(row('This file'));
    await done;
    await discard('moor', 'dredge');
    assert.deepEqual(state(), was);
    await untilNoDiff();
    // It counts as read, and can be read once more.
    const again = consolidate();
    await click(row('This file'));
    await read('The log has nothing new');
    await again;
    await press('Read All of It');
    await click(change('moor'), 'look');
    await discard('moor', 'dredge');
  });

  it('is not a memory', async () => {
    await open(path.join(memory, 'rota.md'));
    const done = consolidate();
    await click(row('Choose a file…'), 'look');
    const list = await click(`${INPUT} .monaco-list`, 'look');
    assert.doesNotMatch(list, /This file/);
    await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
    await done;
  });

  it('with nothing new is told in a sentence', async () => {
    await openChat(chat('hm'));
    const done = consolidate();
    await click(row('This file'));
    await read('minMessages');
    await done;
  });

  it('is no longer looked at when the user gives up', async () => {
    await setProvider('sleep 60');
    await openChat(chat('Always use the blue buoys.', 'Never use the red buoys.'));
    const done = consolidate();
    await click(row('This file'));
    const isAsked = () =>
      saidOf('workspace/executeCommand').findLast(
        ({ params }) =>
          params.command.endsWith('.extractAndConsolidate') && params.arguments[0].log.text?.includes('blue buoys'),
      );
    await until('the model is asked', isAsked);
    await press('Cancel');
    await done;
    // VS Code itself cancels what it asks about documents that it leaves.
    const cancelled = () => saidOf('$/cancelRequest').map(({ params }) => params.id);
    await until('the server is told', () => cancelled().includes(isAsked()?.id));
    // And it is free for another look.
    await setProvider(undefined);
    const again = consolidate();
    await click(row('This file'));
    await again;
    await discard('blue', 'red');
  });

  it('is not saved over text that is not saved itself, and then can be', async () => {
    const files = vscode.workspace.getConfiguration('files');
    await files.update('autoSave', 'off', vscode.ConfigurationTarget.Global);
    const index = await open(path.join(memory, 'MEMORY.md'));
    const edit = new vscode.WorkspaceEdit();
    edit.insert(index.uri, new vscode.Position(0, 0), 'Mine\n');
    assert.ok(await vscode.workspace.applyEdit(edit));
    await openChat(chat('Always count the seagulls.', 'Never feed the seagulls.'));
    const done = consolidate();
    await click(row('This file'));
    await done;
    await applied();
    await read('MEMORY.md has unsaved text.');
    assert.deepEqual(state(), was);
    await vscode.window.showTextDocument(index);
    await vscode.commands.executeCommand('workbench.action.files.revert');
    await press('Save and Apply');
    await read('Memories: ');
    await press('Undo');
    await read('Undone: ');
    assert.deepEqual(state(), was);
    await files.update('autoSave', undefined, vscode.ConfigurationTarget.Global);
  });

  it('is saved beside what was written since it was read', async () => {
    await openChat(chat('Always log the swell.', 'Never log the snow.'));
    const done = consolidate();
    await click(row('This file'));
    await done;
    const index = path.join(memory, 'MEMORY.md');
    write(index, `Theirs\n\n${was['MEMORY.md']}`);
    await applied();
    await read('Memories: 2 added');
    assert.match(state()['MEMORY.md']!, /^Theirs\n\n[\s\S]*swell/);
    await press('Undo');
    await read('Undone: ');
    assert.equal(state()['MEMORY.md'], `Theirs\n\n${was['MEMORY.md']}`);
    write(index, was['MEMORY.md']!);
  });

  it('is not saved over files that came since it was read', async () => {
    await openChat(chat('Always log the wind.', 'Never log the rain.'));
    const done = consolidate();
    await click(row('This file'));
    await done;
    const plans = await vscode.commands.executeCommand<Plan[]>('memoryLs.plans', {});
    const files = plans.flatMap(({ changes }) => changes.filter(({ kind }) => kind === 'create'));
    const theirs = files.map(({ path: name }) => path.join(memory, name));
    assert.equal(theirs.length, 2);
    theirs.forEach((file) => write(file, 'Theirs\n'));
    await applied();
    await read('already, or a name that differs');
    assert.deepEqual(state()['MEMORY.md'], was['MEMORY.md']);
    await press('Try Again');
    await until('it is planned anew', () => asked().findLast(({ command }) => command === 'memoryLs.plans'));
    await click('.review-widget .head:has-text("Accepted")', 'look');
    await applied();
    await read('Memories: ');
    assert.ok(theirs.every((file) => fs.readFileSync(file, 'utf8') === 'Theirs\n'));
    await press('Undo');
    await read('Undone: ');
    theirs.forEach((file) => fs.rmSync(file));
  });

  it('that could not be read is told in the words of the server', async () => {
    await setProvider('exit 3');
    await openChat(chat('Always use the green buoys.', 'Never use the black buoys.'));
    const done = consolidate();
    await click(row('This file'));
    const words = await read('status 3'); // what is wrong, and what to do
    assert.match(words, /\S\. \S/);
    assert.doesNotMatch(words, /Error|Traceback|\bat \S+:\d/);
    await done;
    await setProvider(undefined);
  });

  it('is saved to the directory that the user says where there are several', async () => {
    const other = path.join(project, 'notes');
    write(path.join(other, 'MEMORY.md'), '- [Tides](tides.md)\n');
    await open(path.join(other, 'MEMORY.md'));
    const list = () => vscode.commands.executeCommand<{ name: string }[]>('memoryLs.list', {});
    await until('the server knows it', async () => (await list()).some(({ name }) => name === 'tides'));
    await openChat(chat('Always paint boats in spring.', 'Never paint boats in the rain.'));
    const done = consolidate();
    await click(row('This file'));
    await click(row('notes')); // as short as it is clear
    await done;
    await applied();
    await read('Memories: ');
    assert.deepEqual(state(), was);
    await until('it is there', () => fs.readdirSync(other).length > 2);
    await vscode.commands.executeCommand('memoryLs.ui.undo');
    await read('Undone: ');
    assert.deepEqual(fs.readdirSync(other).sort(), ['MEMORY.md', 'tides.md']);
    await vscode.commands.executeCommand('notifications.clearAll');
    await vscode.commands.executeCommand('memoryLs.ui.undo');
    await read('There is nothing to undo.');
  });
});
