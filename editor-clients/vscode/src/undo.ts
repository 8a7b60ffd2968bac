// Takes back what the server changed on the disk.
import { LanguageClient } from 'vscode-languageclient/node';
import { choicesFor, execute, tellError } from './commands';
import { inform } from './messages';
import { Entry } from './overview';
import { keepUp } from './tabs';
import { sentence } from './words';

interface Undone {
  readonly title: string;
  readonly warnings: readonly string[];
  readonly directory: string;
  readonly files: Entry['files'];
}

/** The entry of the history that is named, by default the last change. */
export async function undo(
  client: LanguageClient,
  entry: { journalId?: string; directory?: string } = {},
): Promise<void> {
  const { title, warnings, directory, files } = await execute<Undone>(client, 'memoryLs.undo', entry);
  const renamed = files.flatMap(({ path, newPath }) => (newPath === null ? [] : [[path, newPath] as const]));
  await keepUp(
    directory,
    files.map(({ path }) => path),
    Object.fromEntries(renamed),
  );
  void inform([sentence(`Undone: ${title}`), ...warnings].join(' '));
}

/** Tells what was changed, and offers to take it back; what has no entry in the history has changed nothing. */
export async function offerUndo(
  client: LanguageClient,
  message: string,
  { journalId, directory }: { journalId: string | null; directory: string },
): Promise<void> {
  const pressed = await inform(message, ...(journalId === null ? [] : ['Undo']));
  if (pressed === 'Undo' && journalId !== null) {
    await undo(client, { journalId, directory }).catch((error: unknown) =>
      choicesFor('directory', error)
        ? void inform('The memory directory is gone: there is nothing to undo.')
        : tellError(error),
    );
  }
}
