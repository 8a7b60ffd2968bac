// "Consolidate Chat Log…": from a chat log to memories. What would be saved is shown first, and can be taken back after.
import * as path from 'node:path';
import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';
import { choicesFor, execute, executeShown, kindOf, tellError } from './commands';
import { PlanView } from './plan_view';
import { offerUndo } from './undo';

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

interface Decision {
  readonly name: string;
  readonly action: 'add' | 'update' | 'skip' | 'stale';
  readonly reason: string;
  readonly operation: number | null;
  /** No words of the user stand behind it. */
  readonly unverified: boolean;
}

interface Report {
  readonly directory: string;
  readonly planId: string | null;
  readonly journalId: string | null;
  readonly skippedReason: string;
  readonly decisions: readonly Decision[];
  readonly dropped: readonly { readonly name: string; readonly reason: string }[];
  readonly warnings: readonly string[];
  readonly changes: readonly { readonly operation: number; readonly path: string }[];
}

interface Applied extends Report {
  readonly journalId: string;
  readonly refused: readonly { readonly message: string }[];
}

export async function consolidate(
  client: LanguageClient,
  view: PlanView,
  isMemory: (file: vscode.Uri) => boolean,
): Promise<void> {
  const log = await chooseLog(client, isMemory);
  const report = log && (await propose(client, log));
  if (report) {
    await review(client, view, report);
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

/** Text of others for a label, in which `$(…)` would stand for an icon. */
function plain(text: string): string {
  return text.replaceAll('$(', '$\u200b(');
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

interface ReviewItem extends vscode.QuickPickItem {
  /** Answers whether the user has decided. */
  readonly run?: () => Promise<boolean>;
}

/** Shows what would be saved and what not, and why, until the user has decided; else it goes on waiting. */
async function review(client: LanguageClient, view: PlanView, report: Report): Promise<void> {
  const items = [...actions(client, view, report), ...summary(client, view, report)];
  if (items.length === 0) {
    void vscode.window.showInformationMessage(outcome(report));
    return;
  }
  for (let decided = false; !decided;) {
    const chosen = await vscode.window.showQuickPick(items, {
      title: TITLE,
      placeHolder: outcome(report),
      ignoreFocusOut: true, // it stays while the changes are looked at
    });
    try {
      decided = chosen === undefined || ((await chosen.run?.()) ?? false);
    } catch (error) {
      tellError(error);
      decided = OUTDATED.includes(kindOf(error) ?? '');
    }
  }
}

function actions(client: LanguageClient, view: PlanView, { planId, directory }: Report): ReviewItem[] {
  if (planId === null) {
    return [];
  }
  const plan = { planId, directory };
  return [
    {
      label: '$(diff-multiple) Show Changes',
      run: async () => {
        await view.show(client, planId, directory);
        return false;
      },
    },
    {
      label: '$(check) Apply',
      run: async () => {
        const applied = await execute<Applied>(client, 'memoryLs.applyPlan', plan);
        const refused = applied.refused.map(({ message }) => message);
        const message = [outcome(applied), ...refused, ...applied.warnings].join(' ');
        void offerUndo(client, message, { journalId: applied.journalId, directory });
        return true;
      },
    },
    {
      label: '$(trash) Discard',
      run: async () => {
        await execute(client, 'memoryLs.discardPlan', plan);
        return true;
      },
    },
  ];
}

/** What becomes of each fact that was found; choosing one shows the change of its memory. */
function summary(client: LanguageClient, view: PlanView, report: Report): ReviewItem[] {
  const { planId, directory } = report;
  const ofDecision = ({ name, reason, operation, unverified }: Decision): ReviewItem => {
    const file = report.changes.find((change) => change.operation === operation)?.path;
    const description = unverified ? '$(warning) not in the words of the user' : '';
    const item = { label: plain(name), description, detail: plain(reason) };
    if (planId === null || file === undefined) {
      return item;
    }
    const run = async () => {
      await view.show(client, planId, directory, file);
      return false;
    };
    return { ...item, run };
  };
  const by = (action: Decision['action']) => report.decisions.filter((each) => each.action === action).map(ofDecision);
  const dropped = report.dropped.map(({ name, reason }) => ({
    label: plain(name || 'unnamed'),
    detail: plain(reason),
  }));
  return [
    ...section('Added', by('add')),
    ...section('Updated', by('update')),
    ...section('Marked as stale', by('stale')),
    ...section('Skipped', by('skip')),
    ...section('Dropped', dropped),
    ...section(
      'Warnings',
      report.warnings.map((warning) => ({ label: plain(warning) })),
    ),
  ];
}

function section(title: string, items: ReviewItem[]): ReviewItem[] {
  return items.length > 0 ? [{ label: title, kind: vscode.QuickPickItemKind.Separator }, ...items] : [];
}

/** A report in a sentence. */
function outcome({ decisions, dropped, planId, journalId, skippedReason }: Report): string {
  const count = (action: Decision['action']) => decisions.filter((each) => each.action === action).length;
  const counts: [number, string][] = [
    [count('add'), 'added'],
    [count('update'), 'updated'],
    [count('stale'), 'marked as stale'],
    [count('skip'), 'skipped'],
    [dropped.length, 'dropped'],
  ];
  const told = counts.filter(([number]) => number > 0).map(([number, word]) => `${number} ${word}`);
  const lead = journalId !== null ? 'Memories' : planId !== null ? 'Planned' : 'Nothing to save';
  if (told.length > 0) {
    return `${lead}: ${told.join(', ')}.`;
  }
  return skippedReason || 'Nothing worth remembering was found in the log.';
}

/** What keeps a plan from ever being applied; all else the user may mend and try again. */
const OUTDATED = ['changed', 'exists', 'notFound'];

const TITLE = 'Consolidate Chat Log';
