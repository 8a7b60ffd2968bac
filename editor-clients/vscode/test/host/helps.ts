// What every command of the palette does where something is missing: it tells or asks something, and never nothing.
import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { click } from './workspace';

const MESSAGE = '.notifications-center .notification-list-item-message';
// VS Code that is driven by a test shows messages in their list alone; the bell tells that there is one.
const BELL = '.statusbar-item .codicon-bell-dot';
const SEEN = [
  BELL,
  MESSAGE,
  '.quick-input-widget .quick-input-title:not(:empty)', // which comes a moment after the widget
  '.monaco-dialog-box',
  '.monaco-diff-editor .view-line',
]
  .map((part) => `${part}:visible`)
  .join(', ');
const NOTHING = `body:not(:has(${SEEN}))`;

// Of the memories view, which tells in itself; and the log, which is looked at on the walk.
const ELSEWHERE = ['searchMemories', 'clearSearch', 'markLookedAt', 'showLog'].map((name) => `memoryLs.ui.${name}`);

/** The commands that the palette always has, and that are registered. */
export async function paletteCommands(): Promise<string[]> {
  const { commands, menus } = vscode.extensions.getExtension('memory-ls.memory-ls')!.packageJSON.contributes;
  const hidden: string[] = menus.commandPalette.map(({ command }: { command: string }) => command);
  const registered = new Set(await vscode.commands.getCommands(true));
  const ids: string[] = commands.map(({ command }: { command: string }) => command);
  return ids.filter((id) => registered.has(id) && !hidden.includes(id) && !ELSEWHERE.includes(id));
}

/** Runs a command as from the palette, answers with the first words that the user sees, and closes what it opened. */
export async function wordsOf(id: string): Promise<string> {
  void vscode.commands.executeCommand(id);
  const words = await wordsSeen();
  assert.doesNotMatch(words, /Error:|Traceback|undefined|\bat \S+:\d+/, id);
  return words;
}

/** The first words that come up, which are closed then. */
export async function wordsSeen(): Promise<string> {
  let words = await click(SEEN, 'look');
  if (words.trim() === '') {
    await vscode.commands.executeCommand('notifications.showList');
    words = await click(MESSAGE, 'look');
  }
  await closeAll();
  return words;
}

/** Closes whatever is open, until nothing is. */
export async function closeAll(): Promise<void> {
  await click('body', 'Escape'); // a dialog takes nothing else
  for (const end of ENDS) {
    await vscode.commands.executeCommand(end);
  }
  await click(NOTHING, 'look');
}

const ENDS = [
  'workbench.action.closeQuickOpen',
  'notifications.showList', // after which the bell has told
  'notifications.clearAll',
  'workbench.action.closePanel',
  'workbench.action.closeAllEditors',
];
