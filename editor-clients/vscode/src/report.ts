// What the server reports of a plan: what it would do, or has done.
import { counted } from './words';

export interface Decision {
  readonly name: string;
  readonly action: 'add' | 'update' | 'skip' | 'stale';
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
  readonly changes: readonly Change[];
}

/** A plan that waits to be applied or discarded. */
export interface Plan extends Report {
  readonly planId: string;
  readonly title: string;
  readonly time: string;
}

export interface Applied extends Report {
  readonly journalId: string;
  readonly refused: readonly { readonly message: string }[];
}

/** A report in a sentence. */
export function outcome(report: Report): string {
  const { decisions, dropped, planId, journalId, skippedReason } = report;
  const counts: [number, string][] = [
    [report.added.length, 'added'],
    [report.updated.length, 'updated'],
    [report.stale.length, 'marked as stale'],
    [decisions.filter(({ action }) => action === 'skip').length, 'skipped'],
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
