// What is done with a memory, or with a change of one, that is chosen in the memories view.
import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';
import { execute } from './commands';
import { CHANGES } from './memories_view';
import { ChangeNode, changesOf } from './memory_tree';
import { warn } from './messages';
import { Memory, Overview } from './overview';
import { PlanView, PlannedFile } from './plan_view';
import { keepUp } from './tabs';
import { offerUndo, undo } from './undo';
import { inOrder } from './words';
import { Written, whyNot } from './written';

const UNDO = 'Undo All';

/** Gives a memory another name: its file, the links to it and its entry follow, on the disk and at once. */
export async function renameMemory(client: LanguageClient, { name, path, directory }: Memory): Promise<void> {
  const which = { name: `./${path}`, directory };
  const rename = (to: string, more: object = {}) =>
    execute<Written>(client, 'memoryLs.rename', { ...which, to: to.trim(), ...more });
  const wanted = await vscode.window.showInputBox({
    title: `Rename ${inOrder(name)}`,
    value: name,
    ignoreFocusOut: true,
    prompt: 'The new name. All links and the index follow, and the file where it is called after it.',
    validateInput: (to) => (to === name ? undefined : whyNot(to, () => rename(to, { dryRun: true }))),
  });
  if (wanted === undefined || wanted.trim() === name) {
    return;
  }
  const done = await rename(wanted);
  await keepUp(directory, done.files, done.renamed);
  void offerUndo(client, [`Renamed: ${name} is ${wanted.trim()} now.`, ...done.warnings].join(' '), done);
}

/** Takes a change back, after a question where it is one of several files. */
export async function undoChange(client: LanguageClient, overview: Overview, change: ChangeNode): Promise<void> {
  const { journalId, directory, entry } = change;
  const rows = changesOf(entry, (directory, path) => overview.nameOf(directory, path));
  if (rows.length > 1) {
    const question = `Undo all of this change? ${rows.length} files were changed together.`;
    const detail = rows.map(({ name, change }) => `${name}: ${CHANGES[change][0]}`).join('\n');
    if ((await warn(question, { modal: true, detail }, UNDO)) !== UNDO) {
      return;
    }
  }
  await undo(client, { journalId, directory });
}

/** A change of the history as VS Code shows changes. */
export async function showChange(client: LanguageClient, view: PlanView, change: ChangeNode): Promise<void> {
  const { journalId, directory, path } = change;
  const [entry] = await execute<{ files: PlannedFile[] }[]>(client, 'memoryLs.history', { journalId, directory });
  const file = entry?.files.find((each) => (each.newPath ?? each.path) === path);
  if (file) {
    await view.compare(journalId, file, `${path} (${change.entry.title})`);
  }
}
