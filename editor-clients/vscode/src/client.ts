// The language client: VS Code's side of the conversation with the server.
import * as os from 'node:os';
import * as vscode from 'vscode';
import {
  CloseAction,
  DidChangeConfigurationNotification,
  ErrorAction,
  ErrorHandler,
  Executable,
  InitializeParams,
  LanguageClient,
  LanguageClientOptions,
  RevealOutputChannelOn,
  State,
} from 'vscode-languageclient/node';
import { Gate, MARKDOWN } from './gate';
import { Program } from './program';
import { SECTION } from './settings';

const CRASHES = 5;
const WITHIN_MS = 3 * 60 * 1000;

export interface Surroundings {
  readonly log: vscode.LogOutputChannel;
  readonly gate: Gate;
  /** What the user has set; with `all` also, as null, what not. */
  readonly settings: (all: boolean) => Record<string, unknown>;
  /** What the server is told at its start, beside the settings. */
  readonly options: Record<string, unknown>;
  /** The server tells that memories changed. */
  readonly changed: () => void;
  /** The server crashed too often and is not started again. */
  readonly gaveUp: () => void;
}

/** A client that is not started yet. */
export function makeClient(program: Program, surroundings: Surroundings): LanguageClient {
  const { log, gate, settings, options: told, changed, gaveUp } = surroundings;
  const options: LanguageClientOptions = {
    documentSelector: MARKDOWN,
    outputChannel: log,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    initializationOptions: () => ({
      ...settings(false),
      ...told,
      trusted: vscode.workspace.isTrusted,
      showReferences: true,
      tellChanges: true,
    }),
    initializationFailedHandler: () => false,
    errorHandler: restartsAFewTimes(() => client, gaveUp),
    middleware: {
      ...gate.middleware,
      workspace: {
        didChangeConfiguration: () =>
          client.sendNotification(DidChangeConfigurationNotification.type, {
            settings: { [SECTION]: settings(true) },
          }),
        configuration: (params) => params.items.map((item) => (item.section === SECTION ? settings(true) : null)),
      },
    },
  };
  const { command, args } = program;
  // Not in the workspace's folder: nothing there may have a say in what is run.
  const executable = { command, args: [...args], options: { cwd: os.homedir() } };
  const secrets = Object.values((told['apiKeys'] ?? {}) as Record<string, string>);
  const client: LanguageClient = new QuietClient(secrets, executable, options);
  client.onNotification('memoryLs/changed', changed);
  return client;
}

/**
 * Tells of failures in the log only; the extension has a sentence of its own for those that matter. What is secret is
 * in no log, also where the user has all that is said written down.
 */
class QuietClient extends LanguageClient {
  constructor(
    private readonly secrets: readonly string[],
    executable: Executable,
    options: LanguageClientOptions,
  ) {
    super(SECTION, 'Memory', executable, options);
  }

  override trace(message: string, data?: unknown): void {
    super.trace(message, data && this.withoutSecrets(typeof data === 'string' ? data : JSON.stringify(data)));
  }

  private withoutSecrets(text: string): string {
    return this.secrets.reduce((kept, secret) => kept.replaceAll(secret, '[REDACTED]'), text);
  }

  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }

  protected override fillInitializeParams(params: InitializeParams): void {
    super.fillInitializeParams(params);
    // Servers know the editor by this name; its relatives under other names are the same to them.
    const client = params.clientInfo;
    if (client && !client.name.startsWith('Visual Studio Code')) {
      client.name = `Visual Studio Code (${client.name})`;
    }
  }
}

/**
 * Has a server that crashes started again, unless it crashes too often or comes no further than that. What keeps
 * the first start from succeeding is told by that start.
 */
function restartsAFewTimes(client: () => LanguageClient, gaveUp: () => void): ErrorHandler {
  let crashes: number[] = [];
  return {
    error: () => ({ action: ErrorAction.Continue, handled: true }),
    closed: () => {
      const now = Date.now();
      const isRunning = client().state === State.Running;
      if (isRunning) {
        crashes = [...crashes.filter((time) => now - time < WITHIN_MS), now];
        if (crashes.length < CRASHES) {
          return { action: CloseAction.Restart, handled: true };
        }
      }
      if (crashes.length > 0) {
        gaveUp();
      }
      return { action: CloseAction.DoNotRestart, handled: true };
    },
  };
}
