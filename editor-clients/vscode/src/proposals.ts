// The changes that a plan proposes, each of which is accepted or rejected by itself.
import * as path from 'node:path';
import { INDEX_NAME } from './discover';
import { Change, Decision, Plan, Report } from './report';

/** What an operation does. */
type Doing = 'add' | 'update' | 'stale' | 'rename' | 'delete';

export interface Proposal {
  /** The number of its operation. */
  readonly operation: number;
  readonly doing: Doing;
  readonly name: string;
  /** The file that shows it best. */
  readonly path: string;
  readonly reasons: readonly string[];
  readonly isUnverified: boolean;
  /** Its file has changed since, so that it can't be done any more. */
  readonly isOutdated: boolean;
  readonly evidence: Decision['evidence'];
}

const DOING: Record<Change['kind'], Doing> = { create: 'add', edit: 'update', rename: 'rename', delete: 'delete' };

/** What is said of a proposal that is not verified. */
export const UNVERIFIED = 'No words of the user stand behind it.';

/** What is said of a proposal that is outdated. */
export const OUTDATED = 'Its file has changed since this was planned: it can’t be applied any more.';

/** The proposals of a plan, in its order. */
export function proposalsOf(report: Report & Partial<Pick<Plan, 'outdated'>>): Proposal[] {
  const operations = [...new Set(report.changes.map(({ operation }) => operation))].filter((each) => each !== 0);
  return operations.map((operation) => proposalOf(report, operation));
}

function proposalOf(report: Report & Partial<Pick<Plan, 'outdated'>>, operation: number): Proposal {
  const changes = report.changes.filter((change) => change.operation === operation);
  // A memory says more than its line in the index.
  const change = changes.find((each) => path.posix.basename(each.path) !== INDEX_NAME) ?? changes[0]!;
  // Several candidates may have come together in one memory.
  const decisions = report.decisions.filter((each) => each.operation === operation);
  const name =
    decisions[0]?.name ?? path.posix.basename(change.newPath ?? change.path).replace(/(?<!^MEMORY)\.md$/, '');
  const isStale = decisions.length > 0 ? decisions[0]!.action === 'stale' : report.stale.includes(name);
  return {
    operation,
    doing: isStale ? 'stale' : DOING[change.kind],
    name,
    path: change.path,
    reasons: decisions.map(({ reason }) => reason).filter(Boolean),
    isUnverified: decisions.some(({ unverified }) => unverified),
    isOutdated: report.outdated?.includes(operation) ?? false,
    evidence: decisions.flatMap(({ evidence }) => evidence),
  };
}

/** The number, from 0, of the line below what is new in a text, or of the last where that is new. */
export function belowChange(before: string, after: string): number {
  const [old, lines] = [before.split('\n'), after.split('\n')];
  let end = 0;
  while (end < Math.min(old.length, lines.length) && old.at(-1 - end) === lines.at(-1 - end)) {
    end++;
  }
  return Math.min(lines.length - 1, lines.length - end);
}
