// The language status items, on markdown files of memory directories: whether the server runs, what it holds, how much
// of the index is loaded, and which plans wait.
import * as path from 'node:path';
import * as vscode from 'vscode';
import { Holding, Overview, Status } from './overview';
import { Condition, Server } from './server';
import { counted } from './words';

const TEXTS: Record<Condition, string> = {
  stopped: 'Memory: not running',
  starting: '$(loading~spin) Memory: starting',
  running: 'Memory',
  failed: 'Memory: failed',
};
/** From so much of the load limit on, the user is warned. */
const NEARLY_FULL = 0.9;

/** `directories` answers with the memory directories that are known by now. */
export function showStatus(
  server: Server,
  overview: Overview,
  directories: () => Iterable<string>,
): vscode.Disposable & { update(): void } {
  const item = vscode.languages.createLanguageStatusItem('memoryLs.status', []);
  item.name = 'Memory';
  let plans: vscode.LanguageStatusItem | undefined;
  const update = () => {
    const status = overview.known?.status;
    const all = new Set([...directories(), ...(status?.directories ?? []).map((each) => each.path)]);
    item.selector = Array.from(all, (directory) => ({
      scheme: 'file',
      pattern: new vscode.RelativePattern(vscode.Uri.file(directory), '**/*.md'),
    }));
    showServer(item, server, status);
    plans = showPlans(plans, item.selector, status?.pendingPlans.length ?? 0);
  };
  update();
  const listeners = vscode.Disposable.from(
    server.onDidChange(update),
    overview.onDidChange(update),
    vscode.window.onDidChangeActiveTextEditor(update),
  );
  return { update, dispose: () => vscode.Disposable.from(listeners, item, plans ?? item).dispose() };
}

function showServer(item: vscode.LanguageStatusItem, server: Server, status: Status | undefined): void {
  const { condition, version } = server;
  const here = status && holdingOf(status, vscode.window.activeTextEditor?.document.uri.fsPath);
  const load = here ? loadOf(here) : 0;
  item.text =
    condition === 'running' && here ? `Memory: ${counted(here.memories, 'memory', 'memories')}` : TEXTS[condition];
  const details = [
    here?.index ? `${percent(load)} of the load limit` : '',
    status?.provider ?? '',
    ...(status?.work ?? []),
  ];
  item.detail = condition === 'running' ? details.filter(Boolean).join(' · ') : '';
  item.busy = condition === 'starting' || (condition === 'running' && (status?.work.length ?? 0) > 0);
  const { Error, Warning, Information } = vscode.LanguageStatusSeverity;
  item.severity =
    condition === 'failed' ? Error : condition === 'running' && load > NEARLY_FULL ? Warning : Information;
  item.command =
    condition === 'running' || condition === 'starting'
      ? { command: 'memoryLs.ui.showLog', title: 'Show Log', tooltip: `memory-ls ${version}` }
      : { command: 'memoryLs.ui.restartServer', title: 'Restart' };
}

/** The item of the plans that wait; there is none where none waits. */
function showPlans(
  item: vscode.LanguageStatusItem | undefined,
  selector: vscode.DocumentSelector,
  count: number,
): vscode.LanguageStatusItem | undefined {
  if (count === 0) {
    item?.dispose();
    return undefined;
  }
  const plans = item ?? vscode.languages.createLanguageStatusItem('memoryLs.plans', selector);
  plans.name = 'Memory: pending plans';
  plans.selector = selector;
  plans.text = counted(count, 'pending plan', 'pending plans');
  plans.command = { command: 'memoryLs.ui.reviewPlans', title: 'Review' };
  return plans;
}

/** The memory directory that a file lies in; the innermost, where they nest. */
function holdingOf(status: Status, file: string | undefined): Holding | undefined {
  const around = status.directories.filter((each) => file?.startsWith(each.path + path.sep));
  return around.sort((one, other) => other.path.length - one.path.length)[0];
}

/** What share of the lines or bytes that an agent loads the index takes, whichever is more. */
function loadOf({ index }: Holding): number {
  return index ? Math.max(index.lines / index.maxLines, index.bytes / index.maxBytes) : 0;
}

function percent(share: number): string {
  return share.toLocaleString(vscode.env.language, { style: 'percent' });
}
