// Which memory and which memory directory a command is about, where the user has to say.
import * as os from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';
import { daysAgo } from './ages';
import { choicesFor, execute } from './commands';
import { Memory } from './overview';
import { plain } from './words';

/** A memory that a view or a menu means: its file, or what the server calls it. */
export type Meant = vscode.Uri | { readonly uri?: string | vscode.Uri; readonly name?: string } | undefined;

/**
 * What the server answers to `ask`; where it can't tell which of several directories is meant, the user says, and it
 * is asked again. Answers with nothing when the user gives up.
 */
export async function inDirectory<T>(
  title: string,
  ask: (where: { directory?: string }) => Thenable<T>,
): Promise<T | undefined> {
  try {
    return await ask({});
  } catch (error) {
    const choices = choicesFor('directory', error);
    if (!choices) {
      throw error;
    }
    const directory = await pickDirectory(title, choices);
    return directory === undefined ? undefined : ask({ directory });
  }
}

/** The directory that the user chooses. */
async function pickDirectory(title: string, directories: readonly string[]): Promise<string | undefined> {
  const items = directories.map((directory) => ({ label: shortened(directory), directory }));
  const chosen = await vscode.window.showQuickPick(items, { title, placeHolder: 'In which memory directory?' });
  return chosen?.directory;
}

/** A path as people read it: relative to the workspace's folder, or to the home directory. */
export function shortened(
  directory: string,
  withFolder = (vscode.workspace.workspaceFolders?.length ?? 0) > 1,
): string {
  const shown = vscode.workspace.asRelativePath(directory, withFolder);
  const home = os.homedir() + path.sep;
  return shown.startsWith(home) ? `~${path.sep}${shown.slice(home.length)}` : shown;
}

/** A path in a sentence: with the name of the workspace's folder, since there is many a directory called memory. */
export function located(directory: string): string {
  return shortened(directory, true);
}

/** All memories. */
export function listed(client: LanguageClient): Promise<Memory[]> {
  return execute<Memory[]>(client, 'memoryLs.list');
}

/** The memory that is meant, if the server knows it. */
export async function findMeant(client: LanguageClient, meant: Meant): Promise<Memory | undefined> {
  const { uri, name } = meant instanceof vscode.Uri ? { uri: meant, name: undefined } : (meant ?? {});
  const memories = await listed(client);
  if (uri !== undefined) {
    const file = fileOf(uri);
    return memories.find((memory) => fileOf(memory.uri) === file);
  }
  return memories.find((memory) => memory.name === name);
}

/** The file of a memory. */
export function fileOf(uri: string | vscode.Uri): string {
  return (typeof uri === 'string' ? vscode.Uri.parse(uri) : uri).fsPath;
}

export interface MemoryItem extends vscode.QuickPickItem {
  readonly memory: Memory;
}

/** Memories as a list shows them; where they are only when there are several directories. */
export function memoryItems(memories: readonly Memory[]): MemoryItem[] {
  const isOne = new Set(memories.map(({ directory }) => directory)).size === 1;
  return memories.map((memory) => ({
    label: plain(memory.name),
    description: [
      memory.type,
      memory.updated ? daysAgo(memory.updated, vscode.env.language) : '',
      memory.stale ? '$(history) stale' : '',
      isOne ? '' : shortened(memory.directory),
    ]
      .filter(Boolean)
      .join(' · '),
    detail: plain(memory.description),
    memory,
  }));
}
