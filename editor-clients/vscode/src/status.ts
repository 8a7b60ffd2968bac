// The language status item: whether the server runs, on markdown files of memory directories.
import * as vscode from 'vscode';
import { Condition, Server } from './server';

const TEXTS: Record<Condition, string> = {
  stopped: 'Memory: not running',
  starting: '$(loading~spin) Memory: starting',
  running: 'Memory',
  failed: 'Memory: failed',
};

/** `directories` answers with the memory directories that are known by now. */
export function showStatus(
  server: Server,
  directories: () => Iterable<string>,
): vscode.Disposable & { update(): void } {
  const item = vscode.languages.createLanguageStatusItem('memoryLs.status', []);
  item.name = 'Memory';
  const update = () => {
    item.selector = Array.from(directories(), (directory) => ({
      scheme: 'file',
      pattern: new vscode.RelativePattern(vscode.Uri.file(directory), '**/*.md'),
    }));
    const { condition, version } = server;
    item.text = TEXTS[condition];
    item.detail = condition === 'running' && version ? `memory-ls ${version}` : '';
    item.busy = condition === 'starting';
    item.severity =
      condition === 'failed' ? vscode.LanguageStatusSeverity.Error : vscode.LanguageStatusSeverity.Information;
    item.command =
      condition === 'running' || condition === 'starting'
        ? { command: 'memoryLs.ui.showLog', title: 'Show Log' }
        : { command: 'memoryLs.ui.restartServer', title: 'Restart' };
  };
  update();
  const listener = server.onDidChange(update);
  return { update, dispose: () => vscode.Disposable.from(listener, item).dispose() };
}
