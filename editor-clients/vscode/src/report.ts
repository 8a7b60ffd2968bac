// What the server reports of a plan: what it would do, or has done.

export interface Decision {
  readonly name: string;
  readonly action: 'add' | 'update' | 'skip' | 'stale';
  readonly reason: string;
  readonly operation: number | null;
  /** No words of the user stand behind it. */
  readonly unverified: boolean;
}

export interface Report {
  readonly directory: string;
  readonly planId: string | null;
  readonly journalId: string | null;
  readonly skippedReason: string;
  readonly decisions: readonly Decision[];
  readonly dropped: readonly { readonly name: string; readonly reason: string }[];
  readonly warnings: readonly string[];
  readonly changes: readonly { readonly operation: number; readonly path: string }[];
}

export interface Applied extends Report {
  readonly journalId: string;
  readonly refused: readonly { readonly message: string }[];
}

/** A report in a sentence. */
export function outcome({ decisions, dropped, planId, journalId, skippedReason }: Report): string {
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
