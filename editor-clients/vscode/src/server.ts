// The server's life as the user sees it: started when it is needed, restarted when asked, and one sentence when
// it cannot run.
import * as vscode from 'vscode';
import { LanguageClient, State } from 'vscode-languageclient/node';
import { makeClient } from './client';
import { COMPLETE, Answer, Question } from './editor_model';
import { Gate } from './gate';
import { fail } from './messages';
import { Program } from './program';
import { openMachineSetting } from './settings';
import { Remedy, Trouble } from './trouble';

export type Condition = 'stopped' | 'starting' | 'running' | 'failed';

export interface Needs {
  readonly log: vscode.LogOutputChannel;
  readonly findProgram: () => Promise<Program>;
  readonly settings: (all: boolean) => Record<string, unknown>;
  readonly belongs: (file: vscode.Uri) => boolean;
  /** What the server is told at its start, beside the settings. */
  readonly options: () => Promise<Record<string, unknown>>;
  /** Answers a prompt of the server's, where the user has said that it may ask. */
  readonly complete: (question: Question, token: vscode.CancellationToken) => Promise<Answer>;
}

export class Server implements vscode.Disposable {
  private condition_: Condition = 'stopped';
  private client: LanguageClient | undefined;
  private gate: Gate | undefined;
  // One thing after the other: a start that is asked for during a stop waits for it.
  private turn: Promise<void> = Promise.resolve();
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  private readonly news = new vscode.EventEmitter<void>();
  /** Fires when the server tells that memories changed. */
  readonly onNews = this.news.event;

  constructor(private readonly needs: Needs) {}

  get condition(): Condition {
    return this.condition_;
  }

  /** The client of a server that runs. */
  get connected(): LanguageClient | undefined {
    return this.condition_ === 'running' ? this.client : undefined;
  }

  /** The version that the server told; empty when it does not run. */
  get version(): string {
    return this.client?.initializeResult?.serverInfo?.version ?? '';
  }

  /** Starts the server unless it runs, or failed: then it is for the user to try again. */
  start(): Promise<void> {
    return this.inTurn(async () => {
      if (this.condition_ === 'stopped') {
        await this.launch();
      } else if (this.condition_ === 'running' && this.client) {
        await this.gate?.openMore(this.client);
      }
    });
  }

  /** The client to ask, for what the user asks for: started if need be, also once more. Where none can be, that is told. */
  async running(): Promise<LanguageClient | undefined> {
    await (this.condition_ === 'failed' ? this.restart() : this.start());
    return this.condition_ === 'failed' ? undefined : this.client;
  }

  restart(): Promise<void> {
    if (this.condition_ === 'starting') {
      this.abandon(); // it may never come to an end
    }
    return this.inTurn(async () => {
      await this.end();
      await this.launch();
    });
  }

  stop(): Promise<void> {
    return this.inTurn(() => this.end());
  }

  dispose(): void {
    this.changed.dispose();
    this.news.dispose();
  }

  private inTurn(step: () => Promise<void>): Promise<void> {
    this.turn = this.turn.then(step).catch((error: unknown) => this.needs.log.error(String(error)));
    return this.turn;
  }

  private async launch(): Promise<void> {
    this.become('starting');
    try {
      const program = await this.needs.findProgram();
      this.needs.log.info(`Server from ${program.origin}: ${program.command}`);
      await this.connect(program);
    } catch (error) {
      this.needs.log.error(String(error));
      const trouble = error instanceof Trouble ? error : new Trouble(DOES_NOT_START, ['again', 'settings']);
      this.fail(trouble.message, trouble.remedies);
    }
  }

  private async connect(program: Program): Promise<void> {
    this.gate = new Gate(this.needs.belongs);
    const client = makeClient(program, {
      ...this.needs,
      options: await this.needs.options(),
      gate: this.gate,
      changed: () => this.news.fire(),
      gaveUp: () => this.fail('The memory-ls server crashed again and again and was stopped.', ['again']),
    });
    this.client = client;
    client.onDidChangeState(({ newState }) => {
      if (client === this.client && newState !== State.Stopped && this.condition_ !== 'failed') {
        this.become(newState === State.Running ? 'running' : 'starting');
      }
    });
    client.onRequest(COMPLETE, this.needs.complete);
    const tooLate = setTimeout(() => client.serverProcess?.kill('SIGKILL'), SECONDS_TO_START * 1000);
    try {
      await client.start();
    } catch (error) {
      if (client === this.client) {
        throw error;
      }
    } finally {
      clearTimeout(tooLate);
    }
  }

  /** Ends a start that goes on, without a word. */
  private abandon(): void {
    const client = this.client;
    this.client = undefined;
    client?.serverProcess?.kill('SIGKILL');
  }

  private async end(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.gate = undefined;
    this.become('stopped');
    if (client?.state === State.Running) {
      await client.dispose();
    }
  }

  private fail(sentence: string, remedies: readonly Remedy[]): void {
    this.become('failed');
    void this.tell(sentence, remedies);
  }

  private async tell(sentence: string, remedies: readonly Remedy[]): Promise<void> {
    const actions: Record<string, () => unknown> = {};
    for (const remedy of remedies) {
      actions[LABELS[remedy]] = () => this.apply(remedy);
    }
    actions['Show Log'] = () => this.needs.log.show();
    const chosen = await fail(sentence, ...Object.keys(actions));
    await (chosen && actions[chosen]?.());
  }

  private apply(remedy: Remedy): Thenable<unknown> {
    switch (remedy) {
      case 'python':
        return vscode.env.openExternal(vscode.Uri.parse('https://www.python.org/downloads/'));
      case 'settings':
        return openMachineSetting('server.path');
      case 'again':
        return this.restart();
    }
  }

  private become(condition: Condition): void {
    if (condition !== this.condition_) {
      this.condition_ = condition;
      this.changed.fire();
    }
  }
}

const DOES_NOT_START = 'The memory-ls server does not start; the log tells what it said.';
const SECONDS_TO_START = 60;

const LABELS: Record<Remedy, string> = {
  python: 'Install Python',
  settings: 'Open Settings',
  again: 'Restart',
};
