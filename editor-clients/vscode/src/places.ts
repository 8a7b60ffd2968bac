// "New Memory Directory Here" and "Open Memory Directory".
import * as path from 'node:path';
import * as vscode from 'vscode';
import { LanguageClient, ResponseError } from 'vscode-languageclient/node';
import { choicesFor, execute, kindOf } from './commands';
import { INDEX_NAME } from './discover';
import { inform } from './messages';
import { Holding, Status } from './overview';
import type { Scene } from './palette';
import { shortened } from './targets';
import { offerUndo } from './undo';
import { counted } from './words';

const NEW = 'New Memory Directory';

/** Makes a memory directory: in the folder that is given, else in the usual place of the project; and opens its index. */
export async function newDirectory(client: LanguageClient, scene: Scene, folder?: vscode.Uri): Promise<void> {
  const made = await make(client, folder?.fsPath);
  if (made) {
    const { directory, journalId } = made;
    await openIndex(scene, directory);
    if (journalId) {
      void offerUndo(client, `A memory directory was made: ${shortened(directory)}.`, { journalId, directory });
    }
  }
}

interface Made {
  readonly directory: string;
  readonly journalId?: string;
}

async function make(client: LanguageClient, directory: string | undefined): Promise<Made | undefined> {
  try {
    return await execute<Made>(client, 'memoryLs.init', directory === undefined ? {} : { directory });
  } catch (error) {
    if (directory === undefined && isAboutDirectory(error)) {
      const chosen = await choosePlace(choicesFor('directory', error) ?? []);
      return chosen === undefined ? undefined : make(client, chosen);
    }
    if (directory !== undefined && kindOf(error) === 'exists' && (await isThere(indexOf(directory)))) {
      void inform(`${shortened(directory)} is a memory directory already.`);
      return { directory };
    }
    throw error;
  }
}

/** Whether the server needs to be told the place. */
function isAboutDirectory(error: unknown): boolean {
  return error instanceof ResponseError && error.data?.key === 'directory';
}

interface PlaceItem extends vscode.QuickPickItem {
  readonly directory?: string;
}

async function choosePlace(usual: readonly string[]): Promise<string | undefined> {
  const items: PlaceItem[] = usual.map((directory) => ({
    label: shortened(directory),
    directory,
  }));
  const other: PlaceItem = { label: 'Choose a folder…', alwaysShow: true };
  const chosen =
    items.length === 0
      ? other
      : await vscode.window.showQuickPick([...items, other], { title: NEW, placeHolder: 'Where is it to be?' });
  if (chosen === other) {
    const options = { title: NEW, openLabel: 'Make It Here', canSelectFolders: true, canSelectFiles: false };
    return (await vscode.window.showOpenDialog(options))?.[0]?.fsPath;
  }
  return chosen?.directory;
}

// ---- those that are there

/** Shows a memory directory in the explorer, or its index where the explorer does not have it. */
export async function openDirectory(client: LanguageClient, scene: Scene): Promise<void> {
  const { directories } = await execute<Status>(client, 'memoryLs.status');
  if (directories.length === 0) {
    const answer = await inform('There is no memory directory here.', NEW);
    return answer === NEW ? newDirectory(client, scene) : undefined;
  }
  const directory = directories.length === 1 ? directories[0]!.path : await chooseKnown(directories);
  if (directory === undefined) {
    return;
  }
  if (vscode.workspace.getWorkspaceFolder(vscode.Uri.file(directory))) {
    const inside = (await isThere(indexOf(directory))) ? indexOf(directory) : vscode.Uri.file(directory);
    await vscode.commands.executeCommand('revealInExplorer', inside);
  } else if (await isThere(indexOf(directory))) {
    await openIndex(scene, directory);
  } else {
    await vscode.commands.executeCommand('revealFileInOS', vscode.Uri.file(directory));
  }
}

async function chooseKnown(directories: readonly Holding[]): Promise<string | undefined> {
  const items = directories.map(({ path, memories }) => ({
    label: shortened(path),
    description: counted(memories, 'memory', 'memories'),
    path,
  }));
  const options = { title: 'Open Memory Directory', placeHolder: 'Which one?' };
  return (await vscode.window.showQuickPick(items, options))?.path;
}

async function openIndex({ directories }: Scene, directory: string): Promise<void> {
  const index = indexOf(directory);
  directories.hold(index);
  await vscode.commands.executeCommand('vscode.open', index);
}

function indexOf(directory: string): vscode.Uri {
  return vscode.Uri.file(path.join(directory, INDEX_NAME));
}

async function isThere(file: vscode.Uri): Promise<boolean> {
  return vscode.workspace.fs.stat(file).then(
    () => true,
    () => false,
  );
}
