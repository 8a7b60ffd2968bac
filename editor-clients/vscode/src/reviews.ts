// The view "Pending Changes": the plan that is under review, with a box to tick for each change that it proposes.
import * as path from 'node:path';
import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';
import { execute } from './commands';
import { inform } from './messages';
import { Overview } from './overview';
import { PlanView } from './plan_view';
import { OUTDATED, Proposal, UNVERIFIED, proposalsOf } from './proposals';
import { Plan, outcome, source } from './report';
import type { Again } from './review';
import { DOINGS, ReviewDiffs } from './review_diffs';
import { Server } from './server';
import { counted, inOrder, sentence } from './words';

/** A file that several proposals share, such as the index. */
interface SharedFile {
  readonly shared: string;
}

type Row = Proposal | SharedFile;

/** What a command about a proposal is called with: the row, the document of its diff, or a link's argument. */
type Meant = Proposal | vscode.Uri | { readonly operation: number } | undefined;

export class Reviews implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  /** What is under review. */
  plan: Plan | undefined;
  again: Again | undefined;
  private proposals: readonly Proposal[] = [];
  private shared: readonly SharedFile[] = [];
  /** By plan, as more than one may wait: the operations that are rejected. They are kept when the window is closed. */
  private readonly rejected: Map<string, Set<number>>;
  /** When the user last did something about what is under review, by the clock. */
  private touched = 0;
  /** The history that was known when the plan was last asked for. */
  private seen: unknown;
  /** Whether the server has told by now that the plan waits. */
  private isKnown = false;
  private readonly changed = new vscode.EventEmitter<Row | undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<Row>;
  private readonly diffs: ReviewDiffs;
  private readonly disposables: vscode.Disposable;

  constructor(
    private readonly server: Server,
    private readonly overview: Overview,
    planView: PlanView,
    private readonly memento: vscode.Memento,
  ) {
    const kept = Object.entries(memento.get<Record<string, number[]>>(REJECTED, {}));
    this.rejected = new Map(kept.map(([planId, operations]) => [planId, new Set(operations)]));
    this.diffs = new ReviewDiffs(planView);
    this.view = vscode.window.createTreeView<Row>('memoryLs.review', {
      treeDataProvider: this,
      manageCheckboxStateManually: true,
    });
    const { registerCommand } = vscode.commands;
    this.disposables = vscode.Disposable.from(
      this.changed,
      this.view,
      this.diffs,
      overview.onDidChange(() => this.follow()),
      this.view.onDidChangeCheckboxState(({ items }) =>
        items.forEach(([row, state]) =>
          this.decideOn([row as Proposal], state === vscode.TreeItemCheckboxState.Checked),
        ),
      ),
      registerCommand('memoryLs.ui.acceptChange', (meant: Meant) => this.decideOnMeant(meant, true)),
      registerCommand('memoryLs.ui.rejectChange', (meant: Meant) => this.decideOnMeant(meant, false)),
      registerCommand('memoryLs.ui.acceptAllChanges', () => this.decideOn(this.proposals, true)),
      registerCommand('memoryLs.ui.rejectAllChanges', () => this.decideOn(this.proposals, false)),
    );
    void planView.close(''); // those of a window that is opened again are empty
  }

  dispose(): void {
    this.disposables.dispose();
  }

  /** The operations that are to be applied. */
  get accepted(): number[] {
    return this.proposals.map(({ operation }) => operation).filter((operation) => this.isAccepted(operation));
  }

  /** Puts a plan under review; how one that is there already can be proposed anew stays known. */
  async begin(plan: Plan, again?: Again): Promise<void> {
    const isThere = this.plan?.planId === plan.planId;
    if (this.plan && !isThere) {
      await this.diffs.close(this.plan);
    }
    this.take(plan, again ?? (isThere ? this.again : undefined));
  }

  /** Nothing more is to be decided on a plan. */
  async end(plan: Plan): Promise<void> {
    await this.diffs.close(plan);
    if (this.rejected.delete(plan.planId)) {
      this.keep();
    }
    if (this.plan?.planId === plan.planId) {
      this.take(undefined);
    }
  }

  /** Brings the view to the front, with the diff of the first proposal. */
  async showFirst(client: LanguageClient): Promise<void> {
    await vscode.commands.executeCommand('memoryLs.review.focus');
    const [first] = this.proposals;
    if (first) {
      await this.view.reveal(first, { select: true, focus: true });
      await this.showDiff(client, first);
    }
  }

  /** Shows a change as a diff. */
  async openChange(client: LanguageClient, meant: Meant | SharedFile): Promise<void> {
    const proposal = this.find(meant as Meant);
    if (meant && 'shared' in meant && this.plan) {
      await this.diffs.showShared(client, this.plan, meant.shared, this.accepted);
    } else if (proposal) {
      await this.showDiff(client, proposal);
    }
  }

  private async showDiff(client: LanguageClient, proposal: Proposal): Promise<void> {
    this.touched = Date.now();
    if (this.plan) {
      await this.diffs.show(client, this.plan, proposal, this.isAccepted(proposal.operation));
      this.tellContext();
    }
  }

  // ---- what is accepted

  private isAccepted(operation: number): boolean {
    return !this.rejected.get(this.plan?.planId ?? '')?.has(operation);
  }

  private decideOnMeant(meant: Meant, isAccepted: boolean): void {
    const proposal = this.find(meant);
    if (proposal) {
      this.decideOn([proposal], isAccepted);
    } else {
      void inform('Choose one of the proposed changes in the view first.');
    }
  }

  private decideOn(proposals: readonly Proposal[], isAccepted: boolean): void {
    if (proposals.length === 0 || !this.plan) {
      return;
    }
    this.touched = Date.now();
    const rejected = this.rejected.get(this.plan.planId) ?? new Set();
    this.rejected.set(this.plan.planId, rejected);
    for (const { operation } of proposals) {
      rejected[isAccepted ? 'delete' : 'add'](operation);
      this.diffs.tell(operation, isAccepted);
    }
    this.keep();
    this.tell();
    this.showRows(proposals.length === 1 ? proposals[0] : undefined);
    const client = this.server.connected;
    if (client) {
      void this.diffs.updateShared(client, this.plan, this.accepted);
    }
  }

  /** By default what is shown, or chosen in the view. */
  private find(meant: Meant): Proposal | undefined {
    const shown = vscode.window.activeTextEditor?.document.uri;
    const operation =
      meant instanceof vscode.Uri
        ? this.diffs.operationOf(meant)
        : (meant?.operation ?? (shown && this.diffs.operationOf(shown)) ?? this.selected?.operation);
    return this.proposals.find((proposal) => proposal.operation === operation);
  }

  private get selected(): Proposal | undefined {
    const [row] = this.view.selection;
    return row && 'operation' in row ? row : undefined;
  }

  /** Writes down what is rejected; of plans that ended while nobody looked, it is dropped in time. */
  private keep(): void {
    const kept = [...this.rejected].slice(-MOST_PLANS).map(([planId, operations]) => [planId, [...operations]]);
    void this.memento.update(REJECTED, Object.fromEntries(kept));
  }

  /** Whether the user has been at work here since a point of time. */
  isInHand(since: number): boolean {
    return this.plan !== undefined && this.touched > since;
  }

  // ---- what waits

  /** Drops what was applied or discarded elsewhere, and takes up what waits. */
  private async follow(): Promise<void> {
    const waiting = this.overview.known?.status.pendingPlans;
    if (!waiting) {
      return;
    }
    const client = this.server.connected;
    if (this.plan && waiting.some(({ planId }) => planId === this.plan?.planId)) {
      this.isKnown = true;
      await this.renew(this.plan, client);
    } else if (this.plan && this.isKnown) {
      await this.end(this.plan);
      if (!this.overview.isBusy) {
        void inform('The proposed changes are gone: they were applied, discarded or planned anew elsewhere.');
      }
    }
    const next = waiting[0];
    if (!this.plan && next && client) {
      const [plan] = await execute<Plan[]>(client, 'memoryLs.plans', { planId: next.planId }).catch(() => []);
      if (plan && !this.plan) {
        this.take(plan);
      }
    }
    this.tell();
  }

  /** Sees what has become outdated, where memories have changed meanwhile. */
  private async renew({ planId, directory, outdated }: Plan, client: LanguageClient | undefined): Promise<void> {
    const history = this.overview.known?.history;
    if (history === this.seen || !client) {
      return;
    }
    this.seen = history;
    const [plan] = await execute<Plan[]>(client, 'memoryLs.plans', { planId, directory }).catch(() => []);
    if (plan && this.plan?.planId === planId && String(plan.outdated) !== String(outdated)) {
      this.plan = plan;
      this.proposals = proposalsOf(plan);
      this.showRows();
    }
  }

  private take(plan: Plan | undefined, again?: Again): void {
    this.plan = plan;
    this.seen = this.overview.known?.history;
    this.again = again;
    this.isKnown = false;
    this.proposals = plan ? proposalsOf(plan) : [];
    this.tell();
    this.showRows();
  }

  // ---- what is shown

  /** Tells what stands around the rows. */
  private tell(): void {
    const { plan } = this;
    const waiting = this.overview.known?.status.pendingPlans.length ?? 0;
    this.view.description = waiting > 1 ? `one of ${waiting} plans` : '';
    this.view.message = plan
      ? [leadOf(plan), outcome(plan), source(plan), ...remarksOn(plan)].filter(Boolean).join(' ')
      : '';
    this.view.badge = plan && { value: this.proposals.length, tooltip: 'Changes of memories wait for a review' };
    this.tellContext();
  }

  /** Shows all rows anew, or, where nothing else is different, one: a click on a row that is renewed may be lost. */
  private showRows(one?: Proposal): void {
    const files = this.sharedFiles();
    const isSame = files.join('\n') === this.shared.map(({ shared }) => shared).join('\n');
    if (!isSame) {
      this.shared = files.map((shared) => ({ shared }));
    }
    this.changed.fire(isSame ? one : undefined);
  }

  private tellContext(): void {
    const { executeCommand } = vscode.commands;
    void executeCommand('setContext', 'memoryLs.isReviewing', this.plan !== undefined);
    const shown = this.diffs.shown;
    const uris = (isAccepted: boolean) =>
      shown.filter(([operation]) => this.isAccepted(operation) === isAccepted).map(([, uri]) => uri.toString());
    void executeCommand('setContext', 'memoryLs.acceptedChanges', uris(true));
    void executeCommand('setContext', 'memoryLs.rejectedChanges', uris(false));
  }

  getChildren(row?: Row): Row[] {
    return row ? [] : [...this.proposals, ...this.shared];
  }

  getParent(): undefined {
    return undefined;
  }

  /** The files that no proposal shows by itself. */
  private sharedFiles(): string[] {
    const shown = this.proposals.map((proposal) => proposal.path);
    const { accepted } = this;
    const changes = this.plan?.changes.filter(({ operation }) => accepted.includes(operation)) ?? [];
    return [...new Set(changes.map((change) => change.path))].filter((file) => !shown.includes(file));
  }

  getTreeItem(row: Row): vscode.TreeItem {
    const item = 'shared' in row ? sharedItem(row.shared) : proposalItem(row, this.isAccepted(row.operation));
    item.command = { command: 'memoryLs.ui.openChange', title: 'Show Change', arguments: [row] };
    item.id = `${this.plan?.planId} ${'shared' in row ? row.shared : row.operation}`;
    return item;
  }
}

/** What a plan is for, where that is not to see from a chat log. */
function leadOf({ provider, title }: Plan): string {
  return provider === null ? sentence(title) : '';
}

/** What the user has to know of a plan before it is applied. */
function remarksOn({ outdated, warnings }: Plan): string[] {
  const changes = counted(outdated.length, 'change is', 'changes are');
  const isOld = outdated.length > 0 ? [`${changes} outdated and can’t be applied, since a file has changed.`] : [];
  const more = warnings.length - MOST_WARNINGS;
  return [
    ...isOld,
    ...warnings.slice(0, MOST_WARNINGS),
    ...(more > 0 ? [`The summary has ${counted(more, 'more warning', 'more warnings')}.`] : []),
  ];
}

const MOST_WARNINGS = 3;
/** Where the decisions are kept, and of how many plans. */
const REJECTED = 'memoryLs.rejected';
const MOST_PLANS = 50;

const ICONS: Readonly<Record<Proposal['doing'], string>> = {
  add: 'diff-added',
  update: 'diff-modified',
  stale: 'history',
  rename: 'diff-renamed',
  delete: 'diff-removed',
};

function proposalItem(proposal: Proposal, isAccepted: boolean): vscode.TreeItem {
  const { name, doing, isUnverified, isOutdated, reasons } = proposal;
  const { Checked, Unchecked } = vscode.TreeItemCheckboxState;
  const item = new vscode.TreeItem(inOrder(name));
  const remarks = [isOutdated ? 'outdated' : '', isUnverified ? 'unverified' : ''];
  item.contextValue = isAccepted ? 'accepted' : 'rejected';
  item.description = [DOINGS[doing], isAccepted ? '' : 'rejected', ...remarks].filter(Boolean).join(' · ');
  item.iconPath = new vscode.ThemeIcon(ICONS[doing]);
  item.checkboxState = {
    state: isAccepted ? Checked : Unchecked,
    tooltip: isAccepted ? 'Accepted' : 'Rejected',
  };
  const marks = [...(isOutdated ? [OUTDATED] : []), ...(isUnverified ? [UNVERIFIED] : [])];
  item.tooltip = inOrder([name, ...reasons, ...marks].join('\n'));
  item.accessibilityInformation = { label: [inOrder(name), item.description, ...reasons].join(', ') };
  return item;
}

function sharedItem(file: string): vscode.TreeItem {
  const item = new vscode.TreeItem(path.posix.basename(file));
  item.description = 'with all that is accepted';
  item.iconPath = new vscode.ThemeIcon('list-tree');
  item.contextValue = 'shared';
  return item;
}
