// What the memories of this window are at present, as the server tells it: asked for again whenever the server says
// that something changed, and told on only where it is news.
import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';
import { execute } from './commands';
import { Server } from './server';

/** A memory directory. */
export interface Holding {
  readonly path: string;
  readonly memories: number;
  readonly index: {
    readonly lines: number;
    readonly maxLines: number;
    readonly bytes: number;
    readonly maxBytes: number;
  } | null;
}

/** Who can read chat logs. */
export type Provider = 'auto' | 'anthropic' | 'command' | 'editor' | 'offline';

export interface Status {
  readonly trusted: boolean;
  readonly provider: Provider;
  /** In the order in which `auto` prefers them. */
  readonly configured: readonly Provider[];
  readonly directories: readonly Holding[];
  /** What goes on. */
  readonly work: readonly string[];
  readonly pendingPlans: readonly { readonly planId: string; readonly title: string }[];
}

export interface Memory {
  readonly name: string;
  readonly description: string;
  readonly type: string | null;
  /** Relative to the directory. */
  readonly path: string;
  readonly directory: string;
  readonly uri: string;
  /** A day. */
  readonly updated: string | null;
  readonly stale: boolean;
}

/** An entry of the history. */
export interface Entry {
  readonly id: string;
  readonly time: string;
  readonly title: string;
  readonly source: 'plan' | 'undo' | 'external';
  readonly undone: boolean;
  readonly files: readonly {
    readonly path: string;
    readonly kind: 'create' | 'edit' | 'rename' | 'delete';
    readonly newPath: string | null;
  }[];
  readonly directory: string;
}

/** Everything that is known. */
export interface Known {
  readonly status: Status;
  readonly memories: readonly Memory[];
  readonly history: readonly Entry[];
}

const PAUSE = 150;
const MOST_PAUSE = 3000;
/** While something goes on, it is looked again after so many milliseconds. */
const WHILE_BUSY = 1000;

export class Overview implements vscode.Disposable {
  /** Nothing, while no server runs. */
  known: Known | undefined;
  /** Whether somebody looks at the memories one by one; of many, their list is long. */
  isListed = false;
  private told = '';
  /** The names of all memories that were seen, by directory and path: also of those that are gone. */
  private readonly names = new Map<string, string>();
  private asking: Promise<void> | undefined;
  private isDue = false;
  /** Whether memories and history may have changed; while something goes on, it is only the status that is asked for. */
  private isChanged = true;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private commands = 0;
  /** How long the last answer took, in milliseconds. */
  private took = 0;
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly listeners: vscode.Disposable;
  readonly onDidChange = this.changed.event;

  constructor(private readonly server: Server) {
    this.listeners = vscode.Disposable.from(
      this.changed,
      server.onDidChange(() => this.look()),
      server.onNews(() => this.look()),
      // Ages grow while nobody looks.
      vscode.window.onDidChangeWindowState(({ focused }) => focused && this.look()),
    );
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.listeners.dispose();
  }

  /** Whether a command is carried out. */
  get isBusy(): boolean {
    return this.commands > 0;
  }

  /** A command is carried out, which may take long and change something. */
  async during(command: Promise<void>): Promise<void> {
    this.commands++;
    this.askIn(WHILE_BUSY);
    await command.finally(() => this.commands--);
    this.look();
  }

  /** Asks again, soon: what comes together is asked for once, and what costs much is asked for less often. */
  look(): void {
    this.isChanged = true;
    this.askIn(PAUSE);
  }

  private askIn(pause: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.ask(), Math.max(pause, Math.min(this.took, MOST_PAUSE)));
  }

  private ask(): Promise<void> {
    this.isDue = true;
    // One after the other: an older answer must not have the last word.
    this.asking ??= this.askWhileDue().finally(() => (this.asking = undefined));
    return this.asking;
  }

  private async askWhileDue(): Promise<void> {
    while (this.isDue) {
      this.isDue = false;
      const client = this.server.connected;
      const begin = Date.now();
      const known = client && (await this.everything(client).catch(() => this.missed()));
      this.took = Date.now() - begin;
      this.take(client === this.server.connected ? known : undefined);
    }
    if (this.known && (this.commands > 0 || this.known.status.work.length > 0)) {
      this.askIn(WHILE_BUSY);
    }
  }

  /** No answer has come: what was known stays, and is asked for again with the next. */
  private missed(): Known | undefined {
    this.isChanged = true;
    return this.known;
  }

  private async everything(client: LanguageClient): Promise<Known> {
    const status = await execute<Status>(client, 'memoryLs.status');
    const before = this.known;
    if (status.directories.length === 0) {
      return { status, memories: [], history: [] };
    }
    if (!this.isChanged || status.work.includes('reading')) {
      return { status, memories: before?.memories ?? [], history: before?.history ?? [] };
    }
    this.isChanged = false;
    const [memories, history] = await Promise.all([
      this.isListed ? execute<Memory[]>(client, 'memoryLs.list') : (before?.memories ?? []),
      execute<Entry[]>(client, 'memoryLs.history'),
    ]);
    return { status, memories, history };
  }

  /** What the memory in a file is called, or was. */
  nameOf(directory: string, path: string): string | undefined {
    return this.names.get(`${directory}\0${path}`);
  }

  private take(known: Known | undefined): void {
    const told = JSON.stringify(known) ?? '';
    this.known = known;
    known?.memories.forEach(({ directory, path, name }) => this.names.set(`${directory}\0${path}`, name));
    if (told !== this.told) {
      this.told = told;
      this.changed.fire();
    }
  }
}
