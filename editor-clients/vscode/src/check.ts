// "Check All": what is found in all memory directories, listed in Problems, and counted in a sentence.
import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';
import type * as lsp from 'vscode-languageclient/node';
import { execute } from './commands';
import { inform, warn } from './messages';
import { counted } from './words';

interface Finding {
  readonly uri: string;
  readonly range: lsp.Range;
  readonly severity: Severity;
  readonly code: string;
  readonly message: string;
}

interface Checked {
  readonly directory: string;
  readonly memories: number;
  readonly findings: readonly Finding[];
}

type Severity = 'error' | 'warning' | 'information' | 'hint';

const SEVERITIES: Record<Severity, vscode.DiagnosticSeverity> = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  information: vscode.DiagnosticSeverity.Information,
  hint: vscode.DiagnosticSeverity.Hint,
};

// As the server's own diagnostics have it.
const SOURCE = 'memory-ls';

/** Findings in files of which the server tells nothing by itself, since they are not open. */
export class Findings implements vscode.Disposable {
  private readonly shown = vscode.languages.createDiagnosticCollection('memoryLs.check');
  private readonly listeners = vscode.Disposable.from(
    vscode.workspace.onDidOpenTextDocument(({ uri }) => this.shown.delete(uri)),
    vscode.languages.onDidChangeDiagnostics(({ uris }) => uris.forEach((uri) => this.withdrawDoubled(uri))),
  );
  private watchers: vscode.Disposable[] = [];

  /** Shows what the server does not, in place of what was shown before. */
  show(checked: readonly Checked[]): void {
    this.clear();
    const byFile = new Map<string, vscode.Diagnostic[]>();
    for (const finding of checked.flatMap(({ findings }) => findings)) {
      byFile.set(finding.uri, [...(byFile.get(finding.uri) ?? []), diagnostic(finding)]);
    }
    for (const [uri, found] of byFile) {
      this.shown.set(vscode.Uri.parse(uri), found);
      this.withdrawDoubled(vscode.Uri.parse(uri));
    }
    // What changes on the disk is no longer as it was found. These may lie outside of the workspace.
    const forget = (file: vscode.Uri) => this.shown.delete(file);
    this.watchers = checked.map(({ directory }) => {
      const pattern = new vscode.RelativePattern(vscode.Uri.file(directory), '**/*.md');
      const watcher = vscode.workspace.createFileSystemWatcher(pattern, true);
      return vscode.Disposable.from(watcher, watcher.onDidChange(forget), watcher.onDidDelete(forget));
    });
  }

  clear(): void {
    this.shown.clear();
    vscode.Disposable.from(...this.watchers).dispose();
    this.watchers = [];
  }

  dispose(): void {
    this.clear();
    vscode.Disposable.from(this.listeners, this.shown).dispose();
  }

  /** What the server tells of a file is more than what was found once. */
  private withdrawDoubled(uri: vscode.Uri): void {
    const ours = this.shown.get(uri)?.length ?? 0;
    const all = vscode.languages.getDiagnostics(uri).filter(({ source }) => source === SOURCE);
    if (ours > 0 && all.length > ours) {
      this.shown.delete(uri);
    }
  }
}

function diagnostic({ range: { start, end }, message, severity, code }: Finding): vscode.Diagnostic {
  const range = new vscode.Range(start.line, start.character, end.line, end.character);
  const made = new vscode.Diagnostic(range, message, SEVERITIES[severity]);
  return Object.assign(made, { source: SOURCE, code });
}

/** Checks all directories, and shows what was found. */
export async function checkAll(client: LanguageClient, { findings }: { findings: Findings }): Promise<void> {
  const checked = await execute<Checked[]>(client, 'memoryLs.check');
  findings.show(checked);
  const told = sentence(checked);
  if (checked.some((each) => each.findings.length > 0)) {
    await vscode.commands.executeCommand('workbench.actions.view.problems');
    void warn(told);
  } else {
    void inform(told);
  }
}

function sentence(checked: readonly Checked[]): string {
  const memories = checked.reduce((sum, each) => sum + each.memories, 0);
  const where = checked.length > 1 ? ` in ${checked.length} directories` : '';
  const what = `${counted(memories, 'memory', 'memories')}${where}`;
  const all = checked.flatMap(({ findings }) => findings);
  const count = (severity: Severity) => all.filter((each) => each.severity === severity).length;
  const counts = [
    counted(count('error'), 'error', 'errors'),
    counted(count('warning'), 'warning', 'warnings'),
    counted(count('information'), 'note', 'notes'),
    counted(count('hint'), 'hint (seen in its file alone)', 'hints (seen in their files alone)'),
  ].filter((words) => !words.startsWith('0 '));
  return counts.length > 0 ? `${what}: ${counts.join(', ')}.` : `${what}: nothing to mend.`;
}
