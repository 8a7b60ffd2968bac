// What the server reports of a plan: what it would do, or has done.
import { counted } from './words';

export interface Decision {
  readonly name: string;
  /** Of what was planned and not done, it is told here whether the user rejected it, or the server refused it. */
  readonly action: 'add' | 'update' | 'skip' | 'stale' | 'rejected' | 'refused';
  /** The memory that it is about, where there is one already. */
  readonly target: string | null;
  readonly reason: string;
  readonly operation: number | null;
  /** No words of the user stand behind it. */
  readonly unverified: boolean;
  /** The words of the chat log that it rests on; `message` counts from 1. */
  readonly evidence: readonly { readonly message: number; readonly quote: string }[];
}

export interface Change {
  /** 0 is what other operations stand on, such as a new index. */
  readonly operation: number;
  /** Relative to the directory, with `/`. */
  readonly path: string;
  readonly kind: 'create' | 'edit' | 'rename' | 'delete';
  readonly newPath: string | null;
}

export interface Report {
  readonly directory: string;
  readonly planId: string | null;
  readonly journalId: string | null;
  readonly skippedReason: string;
  /** Names of memories. */
  readonly added: readonly string[];
  readonly updated: readonly string[];
  readonly stale: readonly string[];
  readonly decisions: readonly Decision[];
  readonly dropped: readonly { readonly name: string; readonly reason: string }[];
  readonly warnings: readonly string[];
  /** Nothing where the plan comes from no chat log. */
  readonly provider: string | null;
  readonly model: string | null;
  readonly usage: { readonly calls: number; readonly inputTokens: number; readonly outputTokens: number };
  /** Of the chat log. */
  readonly messages: { readonly total: number; readonly new: number };
  readonly changes: readonly Change[];
}

/** A plan that waits to be applied or discarded. */
export interface Plan extends Report {
  readonly planId: string;
  readonly title: string;
  readonly time: string;
  /** What the chat log is called that it comes from; empty where there is none, or no name. */
  readonly log: string;
  /** The operations that can't be done any more, since their files have changed. */
  readonly outdated: readonly number[];
}

export interface Applied extends Report {
  readonly journalId: string;
  readonly refused: readonly { readonly message: string }[];
  /** What is left of the plan, which waits on. */
  readonly leftPlanId: string | null;
}

/** What came of a plan of which the operations `only` were chosen: also of what was not done, and why. */
export function appliedOf(applied: Applied, plan: Plan, only: readonly number[]): Applied {
  const decisions = applied.decisions.map((each, at): Decision => {
    const planned = plan.decisions[at];
    if (each.operation !== null || !planned || planned.operation === null) {
      return each;
    }
    return only.includes(planned.operation)
      ? { ...each, action: 'refused' }
      : { ...each, action: 'rejected', reason: planned.reason };
  });
  return { ...applied, decisions, directory: plan.directory };
}

/** A report in a sentence. */
export function outcome(report: Report): string {
  const { decisions, dropped, planId, journalId, skippedReason } = report;
  const number = (wanted: Decision['action']) => decisions.filter(({ action }) => action === wanted).length;
  const counts: [number, string][] = [
    [report.added.length, 'added'],
    [report.updated.length, 'updated'],
    [report.stale.length, 'marked as stale'],
    [number('rejected'), 'rejected'],
    [number('refused'), 'not saved'],
    [number('skip'), 'skipped'],
    [dropped.length, 'dropped'],
  ];
  const told = counts.filter(([number]) => number > 0).map(([number, word]) => `${number} ${word}`);
  const lead = journalId !== null ? 'Memories' : planId !== null ? 'Planned' : 'Nothing to save';
  if (told.length > 0) {
    return `${lead}: ${told.join(', ')}.`;
  }
  if (planId !== null || journalId !== null) {
    return journalId !== null ? 'The index was changed.' : 'Planned: changes of the index.';
  }
  return skippedReason || 'Nothing worth remembering was found in the log.';
}

/** Who proposed it, and what that took; empty where that was no matter of reading a chat log. */
export function source({ provider, model, usage }: Report): string {
  if (provider === null) {
    return '';
  }
  if (provider === 'offline') {
    return 'Proposed offline, without a language model.';
  }
  const calls = counted(usage.calls, 'call', 'calls');
  const tokens = `${usage.inputTokens} tokens sent, ${usage.outputTokens} received`;
  return `Proposed by ${model ?? provider} (${provider}): ${calls}, ${tokens}.`;
}
