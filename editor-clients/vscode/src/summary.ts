// The report on a plan as a page: what is proposed or was done, what was not and why, with links to all of it.
import * as path from 'node:path';
import * as vscode from 'vscode';
import { INDEX_NAME } from './discover';
import { Pages, Piece, toCommand } from './pages';
import { UNVERIFIED, proposalsOf } from './proposals';
import { Decision, Report, outcome, source } from './report';

export const SUMMARY = 'Memory Summary';

export function showSummary(pages: Pages, report: Report): Promise<void> {
  return pages.show(SUMMARY, summary(report));
}

function summary(report: Report): Piece[] {
  const { decisions, dropped, warnings, directory } = report;
  const told = [outcome(report), source(report)].filter(Boolean).join('\n');
  const by = (action: Decision['action']) =>
    decisions.filter((each) => each.action === action).map((each) => ofDecision(report, each));
  const others =
    decisions.length > 0 ? [] : proposalsOf(report).map(({ name, operation }) => [linked(report, name, operation)]);
  return [
    `# Summary\n\n${told}\n\nMemory directory: `,
    { text: directory, target: vscode.Uri.file(path.join(directory, INDEX_NAME)) },
    '\n',
    ...section(
      'Warnings',
      warnings.map((warning) => [warning]),
    ),
    ...section('Added', by('add')),
    ...section('Updated', by('update')),
    ...section('Marked as stale', by('stale')),
    ...section('Changed', others),
    ...section('Rejected', by('rejected')),
    ...section('Not saved', by('refused')),
    ...section('Skipped', by('skip')),
    ...section(
      'Dropped',
      dropped.map(({ name, reason }) => [`${name || 'unnamed'}: ${reason}`]),
    ),
  ];
}

function section(title: string, entries: readonly (readonly Piece[])[]): Piece[] {
  return entries.length > 0 ? [`\n## ${title}\n\n`, ...entries.flatMap((entry) => ['- ', ...entry, '\n'])] : [];
}

function ofDecision(report: Report, { name, target, reason, operation, unverified, evidence }: Decision): Piece[] {
  const known = operation === null && target ? toMemory(name, target) : name;
  const quotes = evidence.map(({ message, quote }) => `\n  > ${quote.replace(/\s+/g, ' ')} (message ${message})`);
  return [
    operation === null ? known : linked(report, name, operation),
    reason ? `: ${reason}` : '',
    unverified ? `\n  ${UNVERIFIED}` : '',
    ...quotes,
  ];
}

/** A name that leads to its diff, as long as the plan waits, and after that to its file. */
function linked(report: Report, name: string, operation: number): Piece {
  const { planId, directory } = report;
  if (planId !== null) {
    return toCommand(name, 'memoryLs.ui.openChange', { planId, operation });
  }
  const proposal = proposalsOf(report).find((each) => each.operation === operation);
  return proposal ? { text: name, target: vscode.Uri.file(path.join(directory, proposal.path)) } : name;
}

function toMemory(text: string, name: string): Piece {
  return toCommand(text, 'memoryLs.ui.showMemory', { name });
}
