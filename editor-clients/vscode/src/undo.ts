// Takes back what the server changed on the disk.
import { LanguageClient } from 'vscode-languageclient/node';
import { execute, tellError } from './commands';
import { inform } from './messages';

/** The entry of the history that is named, by default the last change. */
export async function undo(
  client: LanguageClient,
  entry: { journalId?: string; directory?: string } = {},
): Promise<void> {
  const { title, warnings } = await execute<{ title: string; warnings: string[] }>(client, 'memoryLs.undo', entry);
  void inform([`Undone: ${title}.`, ...warnings].join(' '));
}

/** Tells what was changed, and offers to take it back. */
export async function offerUndo(
  client: LanguageClient,
  message: string,
  entry: { journalId: string; directory: string },
): Promise<void> {
  if ((await inform(message, 'Undo')) === 'Undo') {
    await undo(client, entry).catch(tellError);
  }
}
