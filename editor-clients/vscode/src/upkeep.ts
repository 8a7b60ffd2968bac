// "Organise Index", "Rebuild Index" and "Mark Stale Memories": what would change is shown first.
import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';
import { execute } from './commands';
import { inform } from './messages';
import type { Scene } from './palette';
import { Applied, Report } from './report';
import { review } from './review';
import { MemoryItem, inDirectory, listed, memoryItems } from './targets';
import { offerUndo } from './undo';

export const organiseIndex = (client: LanguageClient, scene: Scene) =>
  reindex(client, scene, 'organise', 'Organise Index', 'The index is in order already.');
export const rebuildIndex = (client: LanguageClient, scene: Scene) =>
  reindex(client, scene, 'regenerate', 'Rebuild Index', 'A new index would be the same.');

async function reindex(
  client: LanguageClient,
  scene: Scene,
  mode: string,
  title: string,
  nothing: string,
): Promise<void> {
  const report = await preview(client, title, 'memoryLs.reindex', { mode });
  if (!report) {
    return;
  }
  if (report.planId === null) {
    void inform([nothing, ...report.warnings].join(' '));
  } else {
    await review(client, scene, report, { again: () => preview(client, title, 'memoryLs.reindex', { mode }) });
  }
}

/** Marks those of the old memories that the user chooses. */
export async function markStale(client: LanguageClient): Promise<void> {
  const title = 'Mark Stale Memories';
  const report = await inDirectory(title, (where) =>
    execute<Report>(client, 'memoryLs.markStale', { dryRun: true, ...where }),
  );
  if (!report) {
    return;
  }
  const { directory, changes } = report;
  if (changes.length === 0) {
    void inform(
      'There is nothing to mark as stale: no memory is older than the setting memoryLs.staleDays says and not marked yet.',
    );
    return;
  }
  const unmarked = new Set(changes.map(({ path }) => path));
  const old = (await listed(client)).filter((each) => each.directory === directory && unmarked.has(each.path));
  // That they are old is what the whole list says.
  const items = memoryItems(old.map((memory) => ({ ...memory, stale: false })));
  const chosen = await vscode.window.showQuickPick<MemoryItem>(
    items.map((item) => ({ ...item, picked: true })),
    {
      title,
      placeHolder: 'These have not been updated for long: which are to be marked as stale?',
      canPickMany: true,
      ignoreFocusOut: true,
    },
  );
  if (chosen && chosen.length > 0) {
    await mark(
      client,
      directory,
      chosen.map(({ memory }) => `./${memory.path}`),
    );
  }
}

async function mark(client: LanguageClient, directory: string, names: readonly string[]): Promise<void> {
  const done = await execute<Report & Pick<Applied, 'refused'>>(client, 'memoryLs.markStale', { names, directory });
  const { journalId, stale, refused } = done;
  if (journalId === null) {
    void inform('They are marked as stale already.'); // by somebody else, meanwhile
    return;
  }
  const told =
    stale.length === 1 ? 'One memory was marked as stale.' : `${stale.length} memories were marked as stale.`;
  const message = [told, ...new Set(refused.map(({ message }) => message))].join(' ');
  void offerUndo(client, message, { journalId, directory });
}

/** What would be done, kept by the server until it is applied or discarded. */
function preview(client: LanguageClient, title: string, command: string, more: object): Promise<Report | undefined> {
  return inDirectory(title, (where) => execute<Report>(client, command, { ...more, preview: true, ...where }));
}
