// What a user sees and does when a plan is reviewed, and how a test gets there.
import * as vscode from 'vscode';
import { applied, change, press } from './hand';
import { click, saidOf, until } from './workspace';

/** The box of a change. */
const box = (text: string) => `${change(text)} .monaco-custom-toggle`;

/** A button above a diff. */
export const button = (title: string) => `.editor-actions .action-label[aria-label^="${title}"]`;

/** What is proposed is thrown away: all of it is rejected, one by one. */
export async function discard(...changes: string[]): Promise<void> {
  for (const text of changes) {
    await click(box(text));
  }
  await applied();
  await press('Discard');
  await until('nothing is proposed any more', async () => (await plans()).length === 0);
}

/** What waits. */
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

export function chat(...orders: string[]): string {
  const lines = orders.flatMap((order) => [
    { role: 'user', content: order },
    { role: 'assistant', content: 'Understood.' },
  ]);
  return lines.map((line) => JSON.stringify(line) + '\n').join('');
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
