// "Organise Index", "Rebuild Index" and "Mark Stale Memories": what would change is shown first.
import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';
import { execute } from './commands';
import { inform } from './messages';
import type { Scene } from './palette';
import { Applied, Report } from './report';
import { review } from './review';
import { MemoryItem, inDirectory, listed, located, memoryItems } from './targets';
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
    await review(client, scene, report);
  }
}

/** Marks those of the old memories that the user chooses. */
export async function markStale(client: LanguageClient): Promise<void> {
  const title = 'Mark Stale Memories';
  const report = await preview(client, title, 'memoryLs.markStale', {});
  if (!report) {
    return;
  }
  const { planId, directory } = report;
  if (planId === null) {
    const sentence = `No memory in ${located(directory)} is old enough: the setting memoryLs.staleDays says how old that is.`;
    void inform(sentence);
    return;
  }
  const operations = new Map(report.changes.map(({ path, operation }) => [path, operation]));
  const old = (await listed(client)).filter((each) => each.directory === directory && operations.has(each.path));
  const items = memoryItems(old).map((item) => ({ ...item, picked: true }));
  const chosen = await vscode.window.showQuickPick<MemoryItem>(items, {
    title,
    placeHolder: 'These have not been updated for long: which are to be marked as stale?',
    canPickMany: true,
    ignoreFocusOut: true,
  });
  if (!chosen || chosen.length === 0) {
    await execute(client, 'memoryLs.discardPlan', { planId, directory });
    return;
  }
  const only = chosen.map(({ memory }) => operations.get(memory.path));
  const told =
    chosen.length === 1 ? 'One memory was marked as stale.' : `${chosen.length} memories were marked as stale.`;
  await apply(client, { planId, directory, only }, told);
}

/** What would be done, kept by the server until it is applied or discarded. */
function preview(client: LanguageClient, title: string, command: string, more: object): Promise<Report | undefined> {
  return inDirectory(title, (where) => execute<Report>(client, command, { ...more, preview: true, ...where }));
}

interface Plan {
  readonly planId: string;
  readonly directory: string;
  /** The operations to apply, where not all. */
  readonly only?: readonly (number | undefined)[];
}

async function apply(client: LanguageClient, plan: Plan, told: string): Promise<void> {
  const { journalId, refused } = await execute<Applied>(client, 'memoryLs.applyPlan', plan);
  const message = [told, ...refused.map(({ message }) => message)].join(' ');
  void offerUndo(client, message, { journalId, directory: plan.directory });
}
