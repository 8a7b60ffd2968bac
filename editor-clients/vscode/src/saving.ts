// Where unsaved text keeps the server from writing: what helps is a click away.
import * as vscode from 'vscode';
import { ResponseError } from 'vscode-languageclient/node';
import { kindOf } from './commands';
import { Directories } from './directories';
import { warn } from './messages';

interface Hint {
  readonly hint?: string;
}

const SAVE = 'Save and Try Again';

/** Whether nothing else is wrong than that somebody has typed and not saved. */
export function isUnsaved(error: unknown): error is ResponseError<Hint> {
  return kindOf(error) === 'unsaved';
}

/** Tells what is unsaved; when the user has it saved, does `again` what could not be done. */
export async function offerSave(
  error: ResponseError<Hint>,
  directories: Directories,
  again: () => Promise<void>,
): Promise<void> {
  if ((await warn(`${error.message} ${error.data?.hint ?? ''}`.trim(), SAVE)) === SAVE) {
    const unsaved = vscode.workspace.textDocuments.filter(({ isDirty, uri }) => isDirty && directories.hold(uri));
    const saved = await Promise.all(unsaved.map((document) => document.save()));
    await (saved.every(Boolean) ? again() : undefined);
  }
}
