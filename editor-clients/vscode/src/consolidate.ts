// "Consolidate Chat Log…": from a chat log to memories. What would be saved is shown first, and can be taken back after.
import * as path from 'node:path';
import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';
import { choicesFor, execute, executeShown } from './commands';
import type { Scene } from './palette';
import { Report } from './report';
import { review } from './review';
import { plain } from './words';

/** A chat log that the server found. */
interface FoundLog {
  readonly path: string;
  readonly format: string;
  readonly title: string;
  readonly time: string;
  readonly size: number;
}

/** What the server takes for a chat log. */
type Log = { readonly uri: string } | { readonly text: string };

export async function consolidateChatLog(client: LanguageClient, scene: Scene): Promise<void> {
  const log = await chooseLog(client, (file) => scene.directories.hold(file));
  const report = log && (await propose(client, log));
  if (report) {
    await review(client, scene, report);
  }
}

// ---- which log

interface LogItem extends vscode.QuickPickItem {
  readonly choose?: () => Log | Promise<Log | undefined>;
}

async function chooseLog(client: LanguageClient, isMemory: (file: vscode.Uri) => boolean): Promise<Log | undefined> {
  const of = (file: vscode.Uri) => ({ uri: client.code2ProtocolConverter.asUri(file) });
  const document = vscode.window.activeTextEditor?.document;
  const items: LogItem[] = (await execute<FoundLog[]>(client, 'memoryLs.chatLogs')).map((log) => ({
    label: plain(log.title || path.basename(log.path)),
    description: `${timeOf(log)} · ${sizeOf(log)} · ${log.format}`,
    choose: () => of(vscode.Uri.file(log.path)),
  }));
  items.push({ label: 'Other logs', kind: vscode.QuickPickItemKind.Separator });
  if (document && ['file', 'untitled'].includes(document.uri.scheme) && !isMemory(document.uri)) {
    items.push({
      label: 'This file',
      description: plain(path.basename(document.fileName)),
      alwaysShow: true,
      // The server reads files as they are on the disk.
      choose: () => (document.isDirty || document.isUntitled ? { text: document.getText() } : of(document.uri)),
    });
  }
  items.push({
    label: 'Choose a file…',
    alwaysShow: true,
    choose: async () => {
      const [file] = (await vscode.window.showOpenDialog({ title: TITLE, openLabel: 'Consolidate' })) ?? [];
      return file && of(file);
    },
  });
  const chosen = await vscode.window.showQuickPick(items, {
    title: TITLE,
    placeHolder: 'The chat log to look for memories in',
    matchOnDescription: true,
  });
  return chosen?.choose?.();
}

function timeOf({ time }: FoundLog): string {
  return new Date(time).toLocaleString(vscode.env.language, { dateStyle: 'medium', timeStyle: 'short' });
}

function sizeOf({ size }: FoundLog): string {
  const [unit, bytes] = size < 1e6 ? ['kilobyte', 1e3] : ['megabyte', 1e6];
  const format = new Intl.NumberFormat(vscode.env.language, { style: 'unit', unit, maximumFractionDigits: 1 });
  return format.format(size / bytes);
}

// ---- what would be saved

/** What the server would make of a log; nothing when the user gives up. */
async function propose(client: LanguageClient, log: Log): Promise<Report | undefined> {
  const ask = (where: { directory?: string }) =>
    executeShown<Report>(client, 'Looking for memories in the chat log', 'memoryLs.extractAndConsolidate', {
      log,
      mode: 'preview',
      ...where,
    });
  try {
    return await ask({});
  } catch (error) {
    const choices = choicesFor('directory', error);
    if (!choices) {
      throw error;
    }
    const directory = await vscode.window.showQuickPick(choices, {
      title: TITLE,
      placeHolder: 'The memory directory to save to',
    });
    return directory === undefined ? undefined : ask({ directory });
  }
}

const TITLE = 'Consolidate Chat Log';
