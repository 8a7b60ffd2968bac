// "History": what was changed, by the server or by other programs, with the diffs, and the way back.
import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';
import { timeOf } from './ages';
import { execute } from './commands';
import { inform } from './messages';
import { Entry } from './overview';
import type { Scene } from './palette';
import { PlannedFile } from './plan_view';
import { offerUndo } from './undo';
import { firstOf, plain, sentence } from './words';

const SOURCES: Readonly<Record<Entry['source'], readonly [words: string, icon: string]>> = {
  plan: ['applied', 'check'],
  undo: ['an undo', 'discard'],
  external: ['by another program', 'link-external'],
};

export async function history(client: LanguageClient, scene: Scene): Promise<void> {
  const entries = await execute<Entry[]>(client, 'memoryLs.history');
  if (entries.length === 0) {
    void inform('Nothing has been changed yet.');
    return;
  }
  const chosen = await vscode.window.showQuickPick(entries.map(itemOf), {
    title: 'History',
    placeHolder: 'The change to look at, and perhaps to undo',
    matchOnDetail: true,
  });
  if (chosen) {
    await show(client, scene, chosen.entry);
  }
}

function itemOf(entry: Entry): vscode.QuickPickItem & { readonly entry: Entry } {
  const [words, icon] = SOURCES[entry.source];
  const names = entry.files.map(({ path, newPath }) => newPath ?? path);
  const told = [timeOf(entry.time, vscode.env.language), words, entry.undone ? 'undone' : '', firstOf(names)];
  return {
    label: `$(${icon}) ${plain(entry.title)}`,
    // Behind the title, which may be long, it would be cut off.
    detail: plain(told.filter(Boolean).join(' · ')),
    entry,
  };
}

async function show(client: LanguageClient, { view }: Scene, { id, title, directory, undone }: Entry): Promise<void> {
  const [told] = await execute<{ files: PlannedFile[] }[]>(client, 'memoryLs.history', { journalId: id, directory });
  const files = told?.files.filter(({ before, after }) => before !== null || after !== null) ?? [];
  if (files.length === 1) {
    await view.compare(id, files[0]!, `${files[0]!.newPath ?? files[0]!.path} (${title})`);
  } else if (files.length > 1) {
    await view.compareAll(id, files, title);
  }
  const words = files.length > 0 ? title : `${sentence(title)} What it changed can't be read any more.`;
  if (undone) {
    void inform(`${words} (undone)`);
  } else {
    void offerUndo(client, words, { journalId: id, directory });
  }
}
