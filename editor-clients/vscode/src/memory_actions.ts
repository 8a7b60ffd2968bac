// What is done with a memory, or with a change of one, that is chosen in the memories view.
import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';
import { execute } from './commands';
import { ChangeNode } from './memory_tree';
import { fail } from './messages';
import { Memory } from './overview';
import { PlanView, PlannedFile } from './plan_view';

/** Gives a memory another name: its file, the links to it and its entry follow, as when it is renamed in the text. */
export async function renameMemory({ name, uri }: Memory): Promise<void> {
  const wanted = await vscode.window.showInputBox({
    title: `Rename ${name}`,
    value: name,
    prompt: 'The new name. The file, all links and the index follow.',
  });
  if (wanted === undefined || wanted.trim() === '' || wanted === name) {
    return;
  }
  try {
    const edit = await renaming(vscode.Uri.parse(uri), wanted.trim());
    if (!(await vscode.workspace.applyEdit(edit, { isRefactoring: true }))) {
      throw new Error(`${name} could not be renamed; there may be a file of that name.`);
    }
  } catch (error) {
    void fail(error instanceof Error ? error.message : String(error));
  }
}

async function renaming(file: vscode.Uri, name: string): Promise<vscode.WorkspaceEdit> {
  const document = await vscode.workspace.openTextDocument(file);
  const position = positionOfName(document);
  if (position) {
    const edit = await vscode.commands.executeCommand<vscode.WorkspaceEdit | undefined>(
      'vscode.executeDocumentRenameProvider',
      file,
      position,
      name,
    );
    return edit ?? new vscode.WorkspaceEdit();
  }
  // A memory without a name of its own is called as its file is.
  if (/[\\/:*?"<>|]/.test(name)) {
    throw new Error(`No file can be called ${name}.`);
  }
  const edit = new vscode.WorkspaceEdit();
  edit.renameFile(file, vscode.Uri.joinPath(file, '..', `${name}.md`));
  return edit;
}

/** Where the frontmatter names the memory. */
function positionOfName(document: vscode.TextDocument): vscode.Position | undefined {
  const head = /^\uFEFF?---[^\S\n]*\n[\s\S]*?\n---/.exec(document.getText().replaceAll('\r', ' '))?.[0] ?? '';
  const name = /^name[^\S\n]*:[^\S\n]*(?=\S)/m.exec(head);
  return name ? document.positionAt(name.index + name[0].length) : undefined;
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
