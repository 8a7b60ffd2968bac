// The review of a plan, before anything is written: which of its changes are accepted, and one Apply for these. What
// commands plan, and what waits from before or from elsewhere, all come here.
import * as path from 'node:path';
import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';
import { timeOf } from './ages';
import { execute, kindOf, tellError } from './commands';
import { inform, warn } from './messages';
import type { Scene } from './palette';
import { SUMMARY, showSummary } from './summary';
import { proposalsOf } from './proposals';
import { Applied, Plan, Report, outcome } from './report';
import { shortened } from './targets';
import { undo } from './undo';
import { firstOf, plain } from './words';

/** Proposes the same anew, from what is on the disk now; nothing when the user gives up. */
export type Again = () => Promise<Report | undefined>;

/** Has the user decide on what a report proposes; where that is nothing, says so. */
export async function review(client: LanguageClient, scene: Scene, report: Report, again?: Again): Promise<void> {
  if (report.planId === null) {
    void tellWithSummary(scene, [outcome(report), ...report.warnings].join(' '), report);
    return;
  }
  await open(client, scene, report.planId, report.directory, again);
}

/** "Review Pending Plans": opens the one that waits, or that of several which the user chooses. */
export async function reviewPlans(client: LanguageClient, scene: Scene): Promise<void> {
  const plans = await execute<Plan[]>(client, 'memoryLs.plans');
  const plan = plans.length > 1 ? await choose(plans) : plans[0];
  if (plan) {
    await open(client, scene, plan.planId, plan.directory);
  } else if (plans.length === 0) {
    void inform('No plan is pending. “Consolidate Chat Log…” makes one.');
  }
}

async function choose(plans: readonly Plan[]): Promise<Plan | undefined> {
  const items = plans.map((plan) => ({
    label: plain(plan.title),
    description: timeOf(plan.time, vscode.env.language),
    detail: plain(`${namesIn(plan)} · ${shortened(plan.directory)}`),
    plan,
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: 'Review Pending Plans',
    placeHolder: 'The changes to look at',
    matchOnDetail: true,
  });
  return chosen?.plan;
}

function namesIn(plan: Plan): string {
  return firstOf(proposalsOf(plan).map(({ name }) => name));
}

async function open(
  client: LanguageClient,
  { reviews }: Scene,
  planId: string,
  directory: string,
  again?: Again,
): Promise<void> {
  const [plan] = await execute<Plan[]>(client, 'memoryLs.plans', { planId, directory });
  if (plan) {
    await reviews.begin(plan, again);
    await reviews.showFirst(client);
  }
}

/** Applies what is accepted; the rest is forgotten. */
export async function applyReview(client: LanguageClient, scene: Scene): Promise<void> {
  const { reviews } = scene;
  const { plan, accepted } = reviews;
  if (!plan) {
    return reviewPlans(client, scene);
  }
  if (accepted.length === 0) {
    const words = 'Every change is rejected. Accept one to apply it, or discard them all.';
    const chosen = await inform(words, DISCARD);
    return chosen === DISCARD ? discard(client, scene, plan) : undefined;
  }
  if (await savedBefore(plan, accepted)) {
    await apply(client, scene, plan, accepted);
  }
}

/** Whether all that is to be changed is saved; the user may say so. A plan is never applied over unsaved text. */
async function savedBefore(plan: Plan, accepted: readonly number[]): Promise<boolean> {
  const files = plan.changes
    .filter(({ operation }) => operation === 0 || accepted.includes(operation))
    .map((change) => path.join(plan.directory, change.path));
  const unsaved = vscode.workspace.textDocuments.filter(
    ({ uri, isDirty }) => isDirty && uri.scheme === 'file' && files.includes(uri.fsPath),
  );
  if (unsaved.length === 0) {
    return true;
  }
  const names = unsaved.map(({ fileName }) => path.basename(fileName)).join(', ');
  const words = `${names} ${unsaved.length === 1 ? 'has' : 'have'} unsaved text. Save it or take it back, then apply.`;
  if ((await warn(words, SAVE)) !== SAVE) {
    return false;
  }
  await Promise.all(unsaved.map((document) => document.save()));
  return unsaved.every(({ isDirty }) => !isDirty);
}

async function apply(client: LanguageClient, scene: Scene, plan: Plan, only: readonly number[]): Promise<void> {
  const { planId, directory } = plan;
  let applied: Applied;
  try {
    applied = { ...(await execute<Applied>(client, 'memoryLs.applyPlan', { planId, directory, only })), directory };
  } catch (error) {
    if (OUTDATED.includes(kindOf(error) ?? '') && error instanceof Error) {
      return offerAnother(client, scene, plan, error.message);
    }
    throw error;
  }
  await scene.reviews.end(plan);
  await scene.pages.close(SUMMARY);
  const message = [outcome(applied), ...applied.refused.map(({ message }) => message), ...applied.warnings].join(' ');
  void tellWithSummary(scene, message, applied, async () => undo(client, { journalId: applied.journalId, directory }));
}

/** The plan can't be applied any more. */
async function offerAnother(client: LanguageClient, scene: Scene, plan: Plan, message: string): Promise<void> {
  const { again } = scene.reviews;
  const chosen = await warn(message, ...(again ? [AGAIN] : []), DISCARD);
  if (chosen === DISCARD) {
    await discard(client, scene, plan);
  } else if (chosen === AGAIN && again) {
    const report = await again();
    if (report) {
      // A new plan from the same log has taken the old one's place; others have not.
      if (plan.planId !== report.planId) {
        await execute(client, 'memoryLs.discardPlan', idOf(plan)).catch(ignoreGone);
        await scene.reviews.end(plan);
      }
      await review(client, scene, report, again);
    }
  }
}

/** "Discard All", once the user is sure: what a model was asked for is lost then. */
export async function discardReview(client: LanguageClient, scene: Scene): Promise<void> {
  const { plan } = scene.reviews;
  if (!plan) {
    return reviewPlans(client, scene);
  }
  const detail = plan.provider === null ? undefined : 'The chat log counts as read then.';
  const words = `Discard all proposed changes? (${plan.title})`;
  if ((await warn(words, { modal: true, ...(detail && { detail }) }, DISCARD)) === DISCARD) {
    await discard(client, scene, plan);
  }
}

async function discard(client: LanguageClient, scene: Scene, plan: Plan): Promise<void> {
  await execute(client, 'memoryLs.discardPlan', idOf(plan));
  await scene.reviews.end(plan);
  await scene.pages.close(SUMMARY);
}

function ignoreGone(error: unknown): void {
  if (kindOf(error) !== 'notFound') {
    throw error;
  }
}

function idOf({ planId, directory }: Plan): { planId: string; directory: string } {
  return { planId, directory };
}

export async function showReviewSummary(client: LanguageClient, scene: Scene): Promise<void> {
  const { plan } = scene.reviews;
  await (plan ? showSummary(scene.pages, plan) : reviewPlans(client, scene));
}

/** Tells what came of a plan, with the rest a click away; `takeBack` undoes it. */
async function tellWithSummary(
  { pages }: Scene,
  message: string,
  report: Report,
  takeBack?: () => Promise<void>,
): Promise<void> {
  const hasMore = report.decisions.length > 0 || report.dropped.length > 0;
  const buttons = [...(takeBack ? [UNDO] : []), ...(hasMore ? [SHOW] : [])];
  const chosen = await inform(message, ...buttons);
  if (chosen === UNDO) {
    await takeBack?.().catch(tellError);
  } else if (chosen === SHOW) {
    await showSummary(pages, report);
  }
}

/** What keeps a plan from ever being applied; all else the user may mend and try again. */
const OUTDATED = ['changed', 'exists', 'notFound'];

const DISCARD = 'Discard';
const SAVE = 'Save and Apply';
const AGAIN = 'Try Again';
const UNDO = 'Undo';
const SHOW = 'Show Summary';
