// The review of a plan, before anything is written: which of its changes are accepted, and one Apply for these. What
// commands plan, and what waits from before or from elsewhere, all come here.
import * as path from 'node:path';
import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';
import { timeOf } from './ages';
import { asHere, execute, kindOf, tellError } from './commands';
import { inform, warn } from './messages';
import type { Scene } from './palette';
import { proposalsOf } from './proposals';
import { SUMMARY, showSummary } from './summary';
import { Applied, Plan, Report, appliedOf, outcome } from './report';
import { shortened } from './targets';
import { undo } from './undo';
import { firstOf, plain } from './words';

/** Proposes the same anew, from what is on the disk now; nothing when the user gives up. */
export type Again = () => Promise<Report | undefined>;

/** How a report came to be. */
interface Origin {
  readonly again?: Again;
  /** Proposes anew what a chat log holds, with what was read of it before. */
  readonly readAll?: () => Promise<void>;
  /** When it was asked for, by the clock. */
  readonly begun?: number;
}

/** Has the user decide on what a report proposes; where that is nothing, says so. */
export async function review(
  client: LanguageClient,
  scene: Scene,
  report: Report,
  { again, readAll, begun }: Origin = {},
): Promise<void> {
  const { planId, directory } = report;
  if (planId === null) {
    const { total, new: unread } = report.messages;
    const more = readAll && unread < total ? { [READ_ALL]: readAll } : {};
    const words = [outcome({ ...report, skippedReason: asHere(report.skippedReason) }), ...report.warnings];
    void tellWithSummary(scene, words.join(' '), report, more);
  } else if (begun !== undefined && scene.reviews.isInHand(begun)) {
    // What the user looks at meanwhile stays.
    void tell(inform, outcome(report), { [REVIEW]: () => open(client, scene, planId, directory, again) });
  } else {
    await open(client, scene, planId, directory, again);
  }
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
  const isOne = new Set(plans.map(({ directory }) => directory)).size === 1;
  const items = plans.map((plan) => ({
    label: plain(plan.title),
    detail: plain(
      [timeOf(plan.time, vscode.env.language), originOf(plan), isOne ? '' : shortened(plan.directory)]
        .filter(Boolean)
        .join(' · '),
    ),
    plan,
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: 'Review Pending Plans',
    placeHolder: 'The changes to look at',
    matchOnDetail: true,
  });
  return chosen?.plan;
}

/** The chat log that a plan comes from; the title of other plans does not name the memories. */
function originOf(plan: Plan): string {
  return plan.decisions.length > 0 ? plan.log : firstOf(proposalsOf(plan).map(({ name }) => name));
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
  const { again } = scene.reviews;
  let applied: Applied;
  try {
    const options = { location: { viewId: 'memoryLs.review' } };
    const answer = await vscode.window.withProgress(options, () =>
      execute<Applied>(client, 'memoryLs.applyPlan', { planId, directory, only }),
    );
    applied = appliedOf(answer, plan, only);
  } catch (error) {
    if (OUTDATED.includes(kindOf(error) ?? '') && error instanceof Error) {
      return offerAnother(client, scene, plan, error.message);
    }
    throw error;
  }
  await scene.reviews.end(plan);
  await scene.pages.close(SUMMARY);
  if (applied.leftPlanId !== null) {
    await open(client, scene, applied.leftPlanId, directory, again);
  }
  // Each once, and not again what the view has told of the plan.
  const told = [...applied.refused.map(({ message }) => message), ...applied.warnings];
  const news = [...new Set(told)].filter((words) => !plan.warnings.includes(words));
  void tellWithSummary(
    scene,
    [outcome(applied), ...news].join(' '),
    applied,
    { [UNDO]: () => undo(client, { journalId: applied.journalId, directory }) },
    news.length > 0 ? warn : inform,
  );
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
      await review(client, scene, report, { again });
    }
  }
}

/** "Discard Proposed Changes", once the user is sure: what a model was asked for is lost then. */
export async function discardReview(client: LanguageClient, scene: Scene): Promise<void> {
  const { plan } = scene.reviews;
  if (!plan) {
    return reviewPlans(client, scene);
  }
  const detail = plan.provider === null ? undefined : 'The chat log counts as read then.';
  const words = `Discard these changes? (${plan.title})`;
  if ((await warn(words, { modal: true, ...(detail && { detail }) }, DISCARD)) === DISCARD) {
    await discard(client, scene, plan);
  }
}

async function discard(client: LanguageClient, scene: Scene, plan: Plan): Promise<void> {
  let isThere = true;
  try {
    await execute(client, 'memoryLs.discardPlan', idOf(plan));
  } catch (error) {
    ignoreGone(error);
    isThere = false;
  }
  await scene.reviews.end(plan);
  await scene.pages.close(SUMMARY);
  const others = (scene.overview.known?.status.pendingPlans ?? []).filter(({ planId }) => planId !== plan.planId);
  if (!isThere) {
    void inform('These changes are gone already.');
  } else if (others.length > 0) {
    void inform('Discarded. Other changes are pending, which are shown now.');
  }
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

/** What a button does. */
type Actions = Readonly<Record<string, () => Promise<void>>>;

/** Tells something with buttons. */
async function tell(how: typeof inform, message: string, actions: Actions): Promise<void> {
  const chosen = await how(message, ...Object.keys(actions));
  await (chosen && actions[chosen]?.().catch(tellError));
}

/** Tells what came of a plan, with the rest a click away. */
function tellWithSummary(
  { pages }: Scene,
  message: string,
  report: Report,
  actions: Actions,
  how = inform,
): Promise<void> {
  const hasMore = report.decisions.length > 0 || report.dropped.length > 0;
  return tell(how, message, { ...actions, ...(hasMore && { [SHOW]: () => showSummary(pages, report) }) });
}

/** What keeps a plan from ever being applied; all else the user may mend and try again. */
const OUTDATED = ['changed', 'exists', 'notFound'];

const DISCARD = 'Discard';
const SAVE = 'Save and Apply';
const AGAIN = 'Try Again';
const UNDO = 'Undo';
const SHOW = 'Show Summary';
const REVIEW = 'Review';
const READ_ALL = 'Read All of It';
