// What a user sees and presses: lists, fields, dialogs and messages of VS Code.
import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { click, memory } from './workspace';

export const INPUT = '.quick-input-widget';
const FIELD = `${INPUT} .quick-input-box input`;
const DIALOG = '.monaco-dialog-box';
const NOTICE = '.notifications-center .notification-list-item';

/** A command of the palette, under way: it goes on while the test clicks. */
export function command(name: string, ...given: unknown[]): Thenable<unknown> {
  return vscode.commands.executeCommand(`memoryLs.ui.${name}`, ...given);
}

/** A row of the list that is open. */
export const row = (text: string) => `${INPUT} .monaco-list-row:has-text("${text}")`;

/** Types a text into the field that is open, and waits until its title is seen. */
export async function fill(title: string, text: string): Promise<void> {
  await click(`${INPUT}:has-text("${title}")`, 'look');
  await click(FIELD, 'fill', text);
}

/** Presses a key in the field that is open. */
export const key = (name: string) => click(FIELD, name);

/** A change in the list of those that are proposed. */
export const change = (text: string) => `.monaco-list-row:has(.monaco-custom-toggle):has-text("${text}")`;

/** Applies what is accepted of what is proposed. */
export const applied = () => click('.editor-actions .action-label[aria-label^="Apply Accepted Changes"]');

/** What is told below the field that is open. */
export const hint = (text: string) => click(`${INPUT} .quick-input-message:has-text("${text}")`, 'look');

/** The words of the dialog. */
export const dialog = () => click(DIALOG, 'look');
export const answer = (button: string) => click(`${DIALOG} .monaco-button:text-is("${button}")`);

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
export const press = (button: string) => notice(`.monaco-button:text-is("${button}")`, 'click');
export const read = (text: string) => notice(`.notification-list-item-message:has-text("${text}")`, 'look');

/** The markdown files of a directory on the disk. */
export function state(directory = memory): Record<string, string> {
  const names = fs.readdirSync(directory).filter((name) => name.endsWith('.md'));
  return Object.fromEntries(names.map((name) => [name, fs.readFileSync(path.join(directory, name), 'utf8')]));
}

/** Takes the last change back by the message about it. */
export async function undone(was: Record<string, string>): Promise<void> {
  await press('Undo');
  await read('Undone: ');
  assert.deepEqual(state(), was);
}
