// The review of a plan: what would be changed is shown before anything is written.
import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';
import { execute, kindOf, tellError } from './commands';
import type { Scene } from './palette';
import { PlanView } from './plan_view';
import { Applied, Decision, Report, outcome } from './report';
import { offerUndo } from './undo';
import { plain } from './words';

interface ReviewItem extends vscode.QuickPickItem {
  /** Answers whether the user has decided. */
  readonly run?: () => Promise<boolean>;
}

/** Shows what would be saved and what not, and why, until the user has decided; else it goes on waiting. */
export async function review(client: LanguageClient, { view }: Scene, report: Report): Promise<void> {
  const items = [...actions(client, view, report), ...summary(client, view, report)];
  if (items.length === 0) {
    void vscode.window.showInformationMessage(outcome(report));
    return;
  }
  for (let decided = false; !decided;) {
    const chosen = await vscode.window.showQuickPick(items, {
      title: 'Review',
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

/** What keeps a plan from ever being applied; all else the user may mend and try again. */
const OUTDATED = ['changed', 'exists', 'notFound'];
