// The commands of the server, as the extension's own commands run them.
import * as vscode from 'vscode';
import {
  ErrorCodes,
  ExecuteCommandRequest,
  LanguageClient,
  ResponseError,
  WorkDoneProgress,
} from 'vscode-languageclient/node';
import { inPalette, settingIn } from './advice';
import { fail } from './messages';
import { SECTION, openMachineSetting } from './settings';

let runs = 0;

/** The server's answer. The client sends commands that VS Code runs without progress, and never cancels them. */
export async function execute<T>(client: LanguageClient, command: string, argument: object = {}): Promise<T> {
  return client.sendRequest(ExecuteCommandRequest.type, { command, arguments: [argument] });
}

/** As `execute`, for what takes long: shown, and ended when the user wishes. Answers with nothing then. */
export function executeShown<T>(
  client: LanguageClient,
  title: string,
  command: string,
  argument: object,
): Thenable<T | undefined> {
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return vscode.window.withProgress(options, async (progress, token) => {
    let done = 0;
    const workDoneToken = `memoryLs.ui-${++runs}`;
    const reports = client.onProgress(WorkDoneProgress.type, workDoneToken, (value) => {
      if (value.kind === 'report' && value.message) {
        // Each stage counts from nought again, and the bar goes forward alone.
        const more = Math.max((value.percentage ?? done) - done, 0);
        done += more;
        progress.report(more ? { message: value.message, increment: more } : { message: value.message });
      }
    });
    try {
      const params = { command, arguments: [argument], workDoneToken };
      // The server is told when the user gives up; its word on that need not be waited for.
      const given = new Promise<undefined>((giveUp) => token.onCancellationRequested(() => giveUp(undefined)));
      return await Promise.race<T | undefined>([client.sendRequest(ExecuteCommandRequest.type, params, token), given]);
    } catch (error) {
      if (token.isCancellationRequested) {
        return undefined;
      }
      throw error;
    } finally {
      reports.dispose();
    }
  });
}

/** What the server offers for an argument that it can't take as it is; undefined when it failed otherwise. */
export function choicesFor(key: string, error: unknown): string[] | undefined {
  const data = error instanceof ResponseError ? error.data : undefined;
  return data?.key === key && data.choices?.length > 0 ? data.choices : undefined;
}

/** The server's word for what kept it from doing something; undefined for other errors. */
export function kindOf(error: unknown): string | undefined {
  return error instanceof ResponseError ? error.data?.kind : undefined;
}

/** What helps, by the kind of what went wrong: a title, and the command that does it. */
const REMEDIES: Readonly<Record<string, readonly [string, string]>> = {
  noDirectory: ['New Memory Directory', 'memoryLs.ui.newDirectory'],
  noKey: ['Set API Key', 'memoryLs.ui.setApiKey'],
  wrongKey: ['Set API Key', 'memoryLs.ui.setApiKey'],
  network: ['Select Provider', 'memoryLs.ui.selectProvider'],
  unknownModel: ['Select Provider', 'memoryLs.ui.selectProvider'],
};

/** What the server says, with commands and settings called as they are here. */
export function asHere(told: string): string {
  return inPalette(told, isSetting);
}

function isSetting(key: string): boolean {
  return vscode.workspace.getConfiguration(SECTION).has(key);
}

const SETTINGS = 'Open Settings';

function wrongIn(error: unknown): string {
  if (!(error instanceof ResponseError)) {
    return 'The memory-ls server gave no answer; the log may tell why.';
  }
  return error.code === ErrorCodes.PendingResponseRejected
    ? 'The memory-ls server was stopped in the middle. Run the command again.'
    : error.message;
}

/** Tells what went wrong: what the server says, what it advises, and offers what helps. */
export function tellError(error: unknown): void {
  const hint: string = (error instanceof ResponseError && error.data?.hint) || '';
  const words = [wrongIn(error), asHere(hint)].filter(Boolean).join(' ');
  const [label, command] = REMEDIES[kindOf(error) ?? ''] ?? [];
  const setting = settingIn(hint, isSetting);
  const buttons = [...(label ? [label] : []), ...(setting ? [SETTINGS] : [])];
  void fail(words, ...buttons).then(async (pressed) => {
    if (pressed === SETTINGS && setting) {
      await openMachineSetting(setting);
    } else if (pressed && command) {
      await vscode.commands.executeCommand(command);
    }
  });
}
