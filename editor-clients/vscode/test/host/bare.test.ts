// Where there is no memory directory, no key and no language model.
import * as assert from 'node:assert/strict';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { command, press, read, row } from './hand';
import { closeAll, paletteCommands, wordsOf } from './helps';
import { click, open, project, until, write } from './workspace';

const NONE = /There is no memory/;

// These ask first, or are no worse without; some words are tested with their commands.
const OTHERS: Record<string, RegExp> = {
  'memoryLs.ui.consolidateChatLog': /Consolidate Chat Log/,
  'memoryLs.ui.extractSelection': /Select the part of a chat/,
  'memoryLs.ui.reviewPlans': /\S/,
  'memoryLs.ui.history': /\S/,
  'memoryLs.ui.showPrompt': /\S/,
  'memoryLs.ui.showInjection': /Show Injection Text/,
  'memoryLs.ui.newDirectory': /New Memory Directory/,
  'memoryLs.ui.selectProvider': /Select Provider/,
  'memoryLs.ui.setApiKey': /Set API Key/,
};
// It tells by the status item.
const LATER = ['memoryLs.ui.restartServer'];

describe('without a memory directory', () => {
  before(async () => {
    write(path.join(project, 'README.md'), '# A project\n');
    await open(path.join(project, 'README.md'));
    await until('the extension is active', () => vscode.extensions.getExtension('memory-ls.memory-ls')?.isActive);
    await closeAll();
  });

  it('every command tells so, or does without', async function () {
    this.timeout(120_000);
    for (const id of (await paletteCommands()).filter((id) => !LATER.includes(id))) {
      const words = await wordsOf(id);
      assert.match(words, OTHERS[id] ?? NONE, `${id}: ${words}`);
    }
  });

  it('agents are given nothing, which is told', async () => {
    await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
    await vscode.commands.executeCommand('notifications.clearAll');
    const done = command('showInjection');
    await click(row('summaries'));
    await read('Agents are given nothing: there is no memory yet.');
    await vscode.commands.executeCommand('notifications.clearAll');
    await done;
  });

  it('the way out makes one', async () => {
    void command('newMemory');
    await press('New Memory Directory');
    await click(`${row('.claude/projects')}:has-text("in your home directory")`, 'look');
    await click(row('.claude/memory'));
    await read('A memory directory was made');
    await until('its index is open', () => /MEMORY\.md$/.test(vscode.window.activeTextEditor?.document.fileName ?? ''));
  });
});
