// Which chat log a command is about: one that the server found, a file, or what is selected.
import * as path from 'node:path';
import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';
import { execute } from './commands';
import type { Scene } from './palette';
import { plain } from './words';

/** What the server takes for a chat log. */
export type Log = { readonly uri: string } | { readonly text: string };

/** A log, and what it is called. */
export interface Source {
  readonly log: Log;
  readonly name: string;
}

/** What is to be read of a log. */
export interface Reading {
  readonly log: Log;
  /** How few messages are worth it. */
  readonly minMessages?: number;
  /** Also what was read before. */
  readonly fromStart?: boolean;
}

/** A chat log that the server found. */
interface FoundLog {
  readonly path: string;
  readonly format: string;
  readonly title: string;
  readonly time: string;
  readonly size: number;
}

interface LogItem extends vscode.QuickPickItem {
  readonly choose?: () => Source | Promise<Source | undefined>;
}

/** The log that the user chooses: one that was found, the open file, or any other. */
export async function chooseLog(
  client: LanguageClient,
  { directories, memento }: Scene,
  title: string,
): Promise<Source | undefined> {
  const document = vscode.window.activeTextEditor?.document;
  const items: LogItem[] = (await execute<FoundLog[]>(client, 'memoryLs.chatLogs')).map((log) => ({
    label: plain(log.title || path.basename(log.path)),
    description: `${timeOf(log)} · ${sizeOf(log)} · ${log.format}`,
    choose: () => ofFile(client, vscode.Uri.file(log.path)),
  }));
  items.push({ label: 'Other logs', kind: vscode.QuickPickItemKind.Separator });
  if (document && ['file', 'untitled'].includes(document.uri.scheme) && !directories.hold(document.uri)) {
    items.push({
      label: 'This file',
      description: plain(path.basename(document.fileName)),
      alwaysShow: true,
      choose: () => ofDocument(client, document),
    });
  }
  items.push({
    label: 'Choose a file…',
    alwaysShow: true,
    choose: async () => {
      const defaultUri = folderOfLogs(memento);
      const options = { title, openLabel: 'Consolidate', ...(defaultUri && { defaultUri }) };
      const [file] = (await vscode.window.showOpenDialog(options)) ?? [];
      if (!file) {
        return undefined;
      }
      await memento.update(LAST_FOLDER, vscode.Uri.joinPath(file, '..').toString());
      return ofFile(client, file);
    },
  });
  const chosen = await vscode.window.showQuickPick(items, {
    title,
    placeHolder: 'The chat log to look for memories in',
    matchOnDescription: true,
  });
  return chosen?.choose?.();
}

const LAST_FOLDER = 'memoryLs.folderOfLogs';

/** Where a log was chosen last, else where the workspace is: beside a memory that is open there is none. */
function folderOfLogs(memento: vscode.Memento): vscode.Uri | undefined {
  const last = memento.get<string>(LAST_FOLDER);
  return last === undefined ? vscode.workspace.workspaceFolders?.[0]?.uri : vscode.Uri.parse(last);
}

function timeOf({ time }: FoundLog): string {
  return new Date(time).toLocaleString(vscode.env.language, { dateStyle: 'medium', timeStyle: 'short' });
}

function sizeOf({ size }: FoundLog): string {
  const [unit, bytes] = size < 1e6 ? ['kilobyte', 1e3] : ['megabyte', 1e6];
  const format = new Intl.NumberFormat(vscode.env.language, { style: 'unit', unit, maximumFractionDigits: 1 });
  return format.format(size / bytes);
}

/** A file as a log, with what is not saved yet. */
export function ofFile(client: LanguageClient, file: vscode.Uri): Source {
  const open = vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === file.toString());
  return open
    ? ofDocument(client, open)
    : { log: { uri: client.code2ProtocolConverter.asUri(file) }, name: path.basename(file.fsPath) };
}

function ofDocument(client: LanguageClient, document: vscode.TextDocument): Source {
  // The server reads files as they are on the disk.
  const isThere = document.uri.scheme === 'file' && !document.isDirty;
  const log = isThere ? { uri: client.code2ProtocolConverter.asUri(document.uri) } : { text: document.getText() };
  return { log, name: path.basename(document.fileName) };
}

/** What is selected, read whole: the user has said that it is worth it. */
export function ofSelection(): (Source & { readonly more: Omit<Reading, 'log'> }) | undefined {
  const editor = vscode.window.activeTextEditor;
  const parts = editor?.selections.map((selection) => editor.document.getText(selection)) ?? [];
  const text = parts.join('\n');
  return text.trim()
    ? { log: { text }, name: 'what is selected', more: { minMessages: 1, fromStart: true } }
    : undefined;
}
