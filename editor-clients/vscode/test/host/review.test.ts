// "Review Pending Plans", "Consolidate This File", "Extract from Selection", "History" and "Show What Would Be Sent" in
// the real VS Code.
import * as assert from 'node:assert/strict';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { applied, change, command, press, read, row, state } from './hand';
import { asked, chat, diff, discard, lastAsked, openChat, plans, setProvider, untilNoDiff } from './reviewing';
import { click, found, makeFiles, memory, open, project, until, write } from './workspace';

/** Has a plan wait, as one made elsewhere does. */
async function plan(name: string): Promise<void> {
  await vscode.commands.executeCommand('memoryLs.markStale', { names: [name], preview: true });
}

/** Waits until the extension has heard from the server what waits. */
async function settled(): Promise<void> {
  const last = (name: string) => asked().findLastIndex(({ command }) => command === `memoryLs.${name}`);
  await until('it is asked what waits', () => last('status') > last('extractAndConsolidate'));
  await vscode.commands.executeCommand('memoryLs.status', {}); // answered after what was asked before
}

describe('what waits to be reviewed', () => {
  let was: Record<string, string>;

  before(async () => {
    makeFiles();
    await open(path.join(memory, 'tide-table.md'));
    await until('the server answers', () => found(path.join(memory, 'tide-table.md')).length > 0);
  });

  beforeEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.commands.executeCommand('notifications.clearAll');
    was = state();
  });

  it('is nothing at first, which is told', async () => {
    await command('reviewPlans');
    await read('No plan is pending.');
  });

  it('is opened, applied and taken back', async () => {
    await plan('rota');
    await command('reviewPlans');
    assert.match(await click(change('rota'), 'look'), /marked as stale/);
    const { original, modified } = await diff('rota');
    assert.equal((await vscode.workspace.openTextDocument(original)).getText(), was['rota.md']);
    const planned = (await vscode.workspace.openTextDocument(modified)).getText();
    await applied();
    await read('Memories: 1 marked as stale.');
    assert.equal(state()['rota.md'], planned);
    await untilNoDiff();
    await command('undo');
    await read('Undone: ');
    assert.deepEqual(state(), was);
  });

  it('is chosen where there is more than one', async () => {
    await plan('rota');
    await plan('harbour-pilot');
    const done = command('reviewPlans');
    await click(row('rota'));
    await done;
    await diff('rota');
    await click('.pane-header:has-text("Pending Changes"):has-text("one of 2 plans")', 'look');
    await discardOne('rota');
    // The other is taken up by itself.
    await click(change('harbour-pilot'));
    await diff('harbour-pilot');
    await discardOne('harbour-pilot');
    assert.deepEqual(state(), was);
  });

  async function discardOne(name: string): Promise<void> {
    await click(`${change(name)} .monaco-custom-toggle`);
    await click(`${change(name)}:has-text("rejected")`, 'look');
    await applied();
    await press('Discard');
    await untilNoDiff();
    await vscode.commands.executeCommand('notifications.clearAll');
  }

  it('comes from a file that is chosen, which is no memory', async () => {
    await command('consolidateFile', vscode.Uri.file(path.join(memory, 'rota.md')));
    await read('This file is a memory, not a chat log.');
    const log = path.join(project, 'chat.jsonl');
    write(log, chat('Always count the ropes.', 'Never lend the ropes.'));
    await open(log);
    await command('consolidateFile');
    await click('.review-widget .body:has-text("Always count the ropes.")', 'look');
    await discard('count', 'lend');
  });

  it('comes from what is selected, however little', async () => {
    await openChat(chat('Always sweep the quay.', 'Never sweep the lighthouse.'));
    await command('extractSelection');
    await read('Select the part of a chat');
    const editor = vscode.window.activeTextEditor!;
    editor.selection = new vscode.Selection(0, 0, 1, 0);
    await command('extractSelection');
    await click('.review-widget .body:has-text("Always sweep the quay.")', 'look');
    assert.equal(lastAsked('memoryLs.extractAndConsolidate').arguments[0].minMessages, 1);
    await discard('sweep');
  });

  it('has a summary, whose links lead to the changes', async () => {
    await openChat(chat('Always ring the bell at noon.', 'Never ring the bell at night.'));
    await command('consolidateFile');
    await command('showReviewSummary');
    await click('.tab.active:has-text("Memory Summary")', 'look');
    const { document } = vscode.window.activeTextEditor!;
    const text = document.getText();
    assert.match(text, /Planned: 2 added\.\nProposed offline, without a language model\./);
    assert.match(text, /> Never ring the bell at night\. \(message 3\)/);
    const links = await vscode.commands.executeCommand<vscode.DocumentLink[]>(
      'vscode.executeLinkProvider',
      document.uri,
    );
    const link = links.find(({ range }) => document.getText(range).includes('night'));
    assert.equal(link?.target?.path, 'memoryLs.ui.openChange');
    const [argument] = JSON.parse(link.target.query);
    await command('openChange', argument);
    await diff('night');
    await applied();
    await press('Show Summary');
    const done = () => vscode.window.activeTextEditor?.document.getText() ?? '';
    await until('the summary of what was done', () => done().includes('Memories: 2 added.'));
    const { uri } = vscode.window.activeTextEditor!.document;
    const files = await vscode.commands.executeCommand<vscode.DocumentLink[]>('vscode.executeLinkProvider', uri);
    assert.ok(files.some(({ target }) => target?.scheme === 'file' && state()[path.basename(target.path)]));
    await command('undo');
    await read('Undone: ');
    assert.deepEqual(state(), was);
  });

  it('once applied is in the history, where it is looked at and taken back', async () => {
    await plan('rota');
    await command('reviewPlans');
    await applied();
    await read('Memories: ');
    const done = command('history');
    assert.match(await click(row('rota'), 'look'), /applied/);
    await click(row('rota'));
    await done;
    const { original, modified } = await diff('rota');
    assert.equal((await vscode.workspace.openTextDocument(original)).getText(), was['rota.md']);
    assert.equal((await vscode.workspace.openTextDocument(modified)).getText(), state()['rota.md']);
    await vscode.commands.executeCommand('notifications.clearAll');
    const again = command('history');
    await click(row('rota'));
    await again;
    await press('Undo');
    await read('Undone: ');
    assert.deepEqual(state(), was);
    const undone = command('history');
    await click(`${row('rota')} .quick-input-list-label-meta:has-text("applied · undone")`, 'look');
    await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
    await undone;
  });

  it('is rejected or accepted all at once, and goes with a word when it is discarded elsewhere', async () => {
    await openChat(chat('Always stow the fenders.', 'Never stow the anchor.'));
    await command('consolidateFile');
    await command('rejectAllChanges');
    for (const name of ['fenders', 'anchor']) {
      await click(`${change(name)}:has-text("rejected")`, 'look');
    }
    await command('acceptAllChanges');
    await click(`${change('anchor')}:not(:has-text("rejected"))`, 'look');
    // From the palette, what is shown is meant.
    await click(change('anchor'));
    await diff('anchor');
    await command('rejectChange');
    await click(`${change('anchor')}:has-text("rejected")`, 'look');
    const [waiting] = await plans();
    await settled();
    await vscode.commands.executeCommand('memoryLs.discardPlan', { planId: waiting!.planId });
    await read('The proposed changes are gone');
    await untilNoDiff();
  });

  it('is told to be outdated once its file has changed', async () => {
    await plan('rota');
    await command('reviewPlans');
    await click(change('rota'), 'look');
    const rota = path.join(memory, 'rota.md');
    write(rota, 'Nobody is anywhere.\n');
    await click(`${change('rota')}:has-text("outdated")`, 'look');
    await discardOne('rota');
    write(rota, was['rota.md']!);
  });

  it('is sent to nobody offline, and can be looked at before a model gets it', async () => {
    await openChat(chat('Always grease the winch.', 'Never grease the stairs.'));
    const offline = command('showPrompt');
    await click(row('This file'));
    await offline;
    await read('Nothing would be sent: the provider is offline');
    await setProvider('cat');
    const done = command('showPrompt');
    await click(row('This file'));
    await done;
    await click('.tab.active:has-text("What Would Be Sent")', 'look');
    const text = vscode.window.activeTextEditor!.document.getText();
    assert.match(text, /^The provider command would be called about once, with [\d,]+ tokens sent/);
    assert.match(text, /# Prompt 1 of 1[\s\S]*Always grease the winch\./);
    await setProvider(undefined);
  });
});
