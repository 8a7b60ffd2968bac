// Where unsaved text keeps the server from writing: what helps is a click away.
import * as vscode from 'vscode';
import { ResponseError } from 'vscode-languageclient/node';
import { kindOf, wordsOf } from './commands';
import { Directories } from './directories';
import { warn } from './messages';

const SAVE = 'Save and Try Again';

/** Whether nothing else is wrong than that somebody has typed and not saved. */
export function isUnsaved(error: unknown): error is ResponseError<unknown> {
  return kindOf(error) === 'unsaved';
}

/** Tells what is unsaved; when the user has it saved, does `again` what could not be done. */
export async function offerSave(
  error: ResponseError<unknown>,
  directories: Directories,
  again: () => Promise<void>,
): Promise<void> {
  if ((await warn(wordsOf(error), SAVE)) === SAVE) {
    const unsaved = vscode.workspace.textDocuments.filter(({ isDirty, uri }) => isDirty && directories.hold(uri));
    const saved = await Promise.all(unsaved.map((document) => document.save()));
    await (saved.every(Boolean) ? again() : undefined);
  }
}
