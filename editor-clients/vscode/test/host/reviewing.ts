// What a user sees and does when a plan is reviewed, and how a test gets there.
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { click, memory, saidOf, until } from './workspace';

export const INPUT = '.quick-input-widget';
const NOTICE = '.notifications-center .notification-list-item';

/** A row of the list that is open. */
export const row = (text: string) => `${INPUT} .monaco-list-row:has-text("${text}")`;

/** A change in the list of those that are proposed, its box, and the buttons above its diff. */
export const change = (text: string) => `.monaco-list-row:has(.monaco-custom-toggle):has-text("${text}")`;
export const box = (text: string) => `${change(text)} .monaco-custom-toggle`;
export const button = (title: string) => `.editor-actions .action-label[aria-label^="${title}"]`;
export const apply = () => click(button('Apply Accepted Changes'));

/** What is proposed is thrown away: all of it is rejected, one by one. */
export async function discard(...changes: string[]): Promise<void> {
  for (const text of changes) {
    await click(box(text));
  }
  await apply();
  await press('Discard');
  await until('nothing is proposed any more', async () => (await plans()).length === 0);
}

export function plans(): Thenable<{ planId: string }[]> {
  return vscode.commands.executeCommand('memoryLs.plans', {});
}

/** Waits until no diff is shown any more. */
export function untilNoDiff(): Promise<void> {
  const tabs = () => vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs);
  return until('no diff is open', () => tabs().every(({ input }) => !(input instanceof vscode.TabInputTextDiff)));
}

/** The diff that is shown, once it is that of a file. */
export async function diff(part: string): Promise<vscode.TabInputTextDiff> {
  const input = () => vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  const shown = () => {
    const found = input();
    return found instanceof vscode.TabInputTextDiff && found.modified.path.includes(part) ? found : undefined;
  };
  await until(`the diff of ${part}`, shown);
  return shown()!;
}

/** A message to the user; VS Code that is driven by a test shows them in their list alone. */
async function notice(selector: string, act: 'click' | 'look'): Promise<string> {
  const show = () => vscode.commands.executeCommand('notifications.showList');
  // An empty list goes away again before the message comes.
  const timer = setInterval(show, 500);
  try {
    await show();
    return await click(`${NOTICE} ${selector}`, act);
  } finally {
    clearInterval(timer);
  }
}
export const press = (text: string) => notice(`.monaco-button:text-is("${text}")`, 'click');
export const read = (text: string) => notice(`.notification-list-item-message:has-text("${text}")`, 'look');

export function chat(...orders: string[]): string {
  const lines = orders.flatMap((order) => [
    { role: 'user', content: order },
    { role: 'assistant', content: 'Understood.' },
  ]);
  return lines.map((line) => JSON.stringify(line) + '\n').join('');
}

export function state(): Record<string, string> {
  const names = fs.readdirSync(memory).filter((name) => name.endsWith('.md'));
  return Object.fromEntries(names.map((name) => [name, fs.readFileSync(path.join(memory, name), 'utf8')]));
}

export async function openChat(text: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument({ language: 'jsonl', content: text });
  await vscode.window.showTextDocument(document);
}

export async function setProvider(command: string | undefined): Promise<void> {
  const settings = vscode.workspace.getConfiguration('memoryLs');
  const before = saidOf('workspace/didChangeConfiguration').length;
  await settings.update('command', command && ['sh', '-c', command], vscode.ConfigurationTarget.Global);
  await settings.update('provider', command && 'command', vscode.ConfigurationTarget.Global);
  await until('the server is told', () => saidOf('workspace/didChangeConfiguration').length > before);
}

export function asked(): any[] {
  return saidOf('workspace/executeCommand').map(({ params }) => params);
}

export function lastAsked(command: string): any {
  return asked().findLast((params) => params.command === command);
}
