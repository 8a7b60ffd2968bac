// "New Memory Directory Here" and "Open Memory Directory".
import * as path from 'node:path';
import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';
import { execute, kindOf } from './commands';
import { INDEX_NAME, projectDirectory, realPath } from './discover';
import { inform } from './messages';
import { Holding, Status } from './overview';
import type { Scene } from './palette';
import { namedDirectories } from './settings';
import { located, shortened } from './targets';
import { offerUndo } from './undo';
import { counted } from './words';

const NEW = 'New Memory Directory';
const OPEN = 'Open It';

/** Makes a memory directory and opens its index: in the folder that is given, else where the user says. */
export async function newDirectory(client: LanguageClient, scene: Scene, folder?: vscode.Uri): Promise<void> {
  const chosen = folder ? { directory: folder.fsPath, isThere: false } : await choosePlace(client);
  if (chosen?.isThere) {
    await openIndex(scene, chosen.directory);
  } else if (chosen) {
    await make(client, scene, chosen.directory);
  }
}

async function make(client: LanguageClient, scene: Scene, directory: string): Promise<void> {
  try {
    const made = await execute<{ directory: string; journalId: string }>(client, 'memoryLs.init', { directory });
    await openIndex(scene, made.directory);
    void offerUndo(client, `A memory directory was made: ${located(made.directory)}.`, made);
  } catch (error) {
    if (kindOf(error) !== 'exists' || !(await isThere(indexOf(directory)))) {
      throw error;
    }
    void inform(`${located(directory)} is a memory directory already.`, OPEN).then((answer) =>
      answer === OPEN ? openIndex(scene, directory) : undefined,
    );
  }
}

interface Place {
  readonly directory: string;
  readonly isThere: boolean;
}

type PlaceItem = vscode.QuickPickItem & Partial<Place>;

/** Where the memory directory is to be, or one that is there already. */
async function choosePlace(client: LanguageClient): Promise<Place | undefined> {
  const { directories } = await execute<Status>(client, 'memoryLs.status');
  const there = new Set(directories.map(({ path }) => realPath(path)));
  const usual = (await usualPlaces()).filter(({ directory }) => !there.has(realPath(directory)));
  const other: PlaceItem = { label: 'Choose a folder…', alwaysShow: true };
  const known: PlaceItem[] = directories.map(({ path, memories }) => ({
    label: shortened(path),
    description: counted(memories, 'memory', 'memories'),
    directory: path,
    isThere: true,
  }));
  const items = [...section('There already', known), ...section('New', [...usual, other])];
  const question = known.length > 0 ? 'There is one already: open it, or make another?' : 'Where is it to be?';
  const chosen =
    items.length > 2 ? await vscode.window.showQuickPick(items, { title: NEW, placeHolder: question }) : other;
  if (chosen === other) {
    const options = { title: NEW, openLabel: 'Make It Here', canSelectFolders: true, canSelectFiles: false };
    const folder = (await vscode.window.showOpenDialog(options))?.[0];
    return folder && { directory: folder.fsPath, isThere: false };
  }
  return chosen?.directory === undefined
    ? undefined
    : { directory: chosen.directory, isThere: chosen.isThere === true };
}

function section(label: string, items: readonly PlaceItem[]): readonly PlaceItem[] {
  return items.length > 0 ? [{ label, kind: vscode.QuickPickItemKind.Separator }, ...items] : [];
}

/** Where there may be one: as the settings say, in the folders of the workspace, and where Claude Code keeps theirs. */
async function usualPlaces(): Promise<(PlaceItem & { directory: string })[]> {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  const inFolder = (...names: string[]) => folders.map(({ uri }) => path.join(uri.fsPath, ...names));
  const kinds: [string, string[]][] = [
    ['As the settings say.', namedDirectories()],
    ['In the folder, beside all else in it.', inFolder('memory')],
    ['In the folder, among the files for agents.', inFolder('.claude', 'memory')],
    [
      'Where Claude Code keeps the memories of this folder: in your home directory.',
      await Promise.all(folders.map(({ uri }) => projectDirectory(uri.fsPath))),
    ],
  ];
  const details = new Map(
    kinds.flatMap(([detail, places]) => places.map((place) => [realPath(place), detail] as const)),
  );
  return Array.from(details, ([directory, detail]) => ({ label: shortened(directory), detail, directory }));
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
