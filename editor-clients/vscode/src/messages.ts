// Messages to the user, all of which go through here: what others wrote may stand in them, and stays text.
import * as vscode from 'vscode';
import { inOrder, plain } from './words';

type Shown = (message: string, options: vscode.MessageOptions, ...buttons: string[]) => Thenable<string | undefined>;

/** Tells something, and answers with the button that was pressed; `options` may come before the buttons. */
type Tell = (message: string, ...more: (string | vscode.MessageOptions)[]) => Thenable<string | undefined>;

export const inform: Tell = (...said) => tell(vscode.window.showInformationMessage, ...said);
export const warn: Tell = (...said) => tell(vscode.window.showWarningMessage, ...said);
export const fail: Tell = (...said) => tell(vscode.window.showErrorMessage, ...said);

function tell(show: Shown, message: string, ...more: (string | vscode.MessageOptions)[]): Thenable<string | undefined> {
  const buttons = more.filter((each) => typeof each === 'string');
  const { detail, ...options } = more.find((each) => typeof each !== 'string') ?? {};
  return show(plain(message), { ...options, ...(detail && { detail: inOrder(detail) }) }, ...buttons);
}
