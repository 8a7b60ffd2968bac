// The view "Pending Changes": the plan that is under review, with a box to tick for each change that it proposes.
import * as path from 'node:path';
import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';
import { execute } from './commands';
import { Overview } from './overview';
import { PlanView } from './plan_view';
import { Proposal, UNVERIFIED, proposalsOf } from './proposals';
import { Plan, outcome, source } from './report';
import type { Again } from './review';
import { DOINGS, ReviewDiffs } from './review_diffs';
import { Server } from './server';
import { inOrder } from './words';

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
  /** By plan, as more than one may wait: the operations that are rejected. */
  private readonly rejected = new Map<string, Set<number>>();
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
  ) {
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
        items.forEach(([row, state]) => this.decide(row as Proposal, state === vscode.TreeItemCheckboxState.Checked)),
      ),
      registerCommand('memoryLs.ui.acceptChange', (meant: Meant) => this.decide(this.find(meant), true)),
      registerCommand('memoryLs.ui.rejectChange', (meant: Meant) => this.decide(this.find(meant), false)),
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

  /** Puts a plan under review. */
  async begin(plan: Plan, again?: Again): Promise<void> {
    if (this.plan && this.plan.planId !== plan.planId) {
      await this.diffs.close(this.plan);
    }
    this.take(plan, again);
  }

  /** Nothing more is to be decided on a plan. */
  async end(plan: Plan): Promise<void> {
    await this.diffs.close(plan);
    this.rejected.delete(plan.planId);
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
    if (this.plan) {
      await this.diffs.show(client, this.plan, proposal, this.isAccepted(proposal.operation));
      this.tellContext();
    }
  }

  // ---- what is accepted

  private isAccepted(operation: number): boolean {
    return !this.rejected.get(this.plan?.planId ?? '')?.has(operation);
  }

  private decide(proposal: Proposal | undefined, isAccepted: boolean): void {
    if (!proposal || !this.plan) {
      return;
    }
    const rejected = this.rejected.get(this.plan.planId) ?? new Set();
    this.rejected.set(this.plan.planId, rejected);
    rejected[isAccepted ? 'delete' : 'add'](proposal.operation);
    this.diffs.tell(proposal.operation, isAccepted);
    this.tell();
    this.showRows(proposal);
    const client = this.server.connected;
    if (client) {
      void this.diffs.updateShared(client, this.plan, this.accepted);
    }
  }

  /** By default what is shown, or chosen in the view. */
  private find(meant: Meant): Proposal | undefined {
    const operation =
      meant instanceof vscode.Uri ? this.diffs.operationOf(meant) : (meant?.operation ?? this.selected?.operation);
    return this.proposals.find((proposal) => proposal.operation === operation);
  }

  private get selected(): Proposal | undefined {
    const [row] = this.view.selection;
    return row && 'operation' in row ? row : undefined;
  }

  // ---- what waits

  /** Drops what was applied or discarded elsewhere, and takes up what waits. */
  private async follow(): Promise<void> {
    const waiting = this.overview.known?.status.pendingPlans;
    if (!waiting) {
      return;
    }
    if (this.plan && waiting.some(({ planId }) => planId === this.plan?.planId)) {
      this.isKnown = true;
    } else if (this.plan && this.isKnown) {
      await this.end(this.plan);
    }
    const next = waiting[0];
    const client = this.server.connected;
    if (!this.plan && next && client) {
      const [plan] = await execute<Plan[]>(client, 'memoryLs.plans', { planId: next.planId }).catch(() => []);
      if (plan && !this.plan) {
        this.take(plan);
      }
    }
    this.tell();
  }

  private take(plan: Plan | undefined, again?: Again): void {
    this.plan = plan;
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
    this.view.message = plan ? [outcome(plan), source(plan)].filter(Boolean).join(' ') : '';
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

const ICONS: Readonly<Record<Proposal['doing'], string>> = {
  add: 'diff-added',
  update: 'diff-modified',
  stale: 'history',
  rename: 'diff-renamed',
  delete: 'diff-removed',
};

function proposalItem(proposal: Proposal, isAccepted: boolean): vscode.TreeItem {
  const { name, doing, isUnverified, reasons } = proposal;
  const { Checked, Unchecked } = vscode.TreeItemCheckboxState;
  const item = new vscode.TreeItem(inOrder(name));
  const unverified = isUnverified ? 'unverified' : '';
  item.contextValue = isAccepted ? 'accepted' : 'rejected';
  item.description = [DOINGS[doing], isAccepted ? '' : 'rejected', unverified].filter(Boolean).join(' · ');
  item.iconPath = new vscode.ThemeIcon(ICONS[doing]);
  item.checkboxState = {
    state: isAccepted ? Checked : Unchecked,
    tooltip: isAccepted ? 'Accepted' : 'Rejected',
  };
  const marks = isUnverified ? [UNVERIFIED] : [];
  item.tooltip = [name, ...reasons, ...marks].join('\n');
  item.accessibilityInformation = { label: [name, item.description, ...reasons].join(', ') };
  return item;
}

function sharedItem(file: string): vscode.TreeItem {
  const item = new vscode.TreeItem(path.posix.basename(file));
  item.description = 'with all that is accepted';
  item.iconPath = new vscode.ThemeIcon('list-tree');
  item.contextValue = 'shared';
  return item;
}
