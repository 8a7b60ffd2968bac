// A proposed change as a diff, with the words of the chat that it comes from beneath.
import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';
import { execute } from './commands';
import { PlanView, PlannedFile } from './plan_view';
import { OUTDATED, Proposal, UNVERIFIED, belowChange } from './proposals';
import { Plan } from './report';
import { sentence } from './words';

export const DOINGS: Readonly<Record<Proposal['doing'], string>> = {
  add: 'added',
  update: 'updated',
  stale: 'marked as stale',
  rename: 'renamed',
  delete: 'deleted',
};

export class ReviewDiffs implements vscode.Disposable {
  private readonly controller = vscode.comments.createCommentController('memoryLs.review', 'Memory');
  /** By operation. */
  private readonly threads = new Map<number, vscode.CommentThread>();
  private isSharedShown = false;

  constructor(private readonly view: PlanView) {}

  dispose(): void {
    this.controller.dispose();
  }

  /** The operations whose diffs are open or were, each with the document of what it makes. */
  get shown(): [number, vscode.Uri][] {
    return [...this.threads].map(([operation, { uri }]) => [operation, uri]);
  }

  operationOf(document: vscode.Uri): number | undefined {
    return this.shown.find(([, uri]) => uri.toString() === document.toString())?.[0];
  }

  /** Shows what a proposal makes of its file. */
  async show(client: LanguageClient, plan: Plan, proposal: Proposal, isAccepted: boolean): Promise<void> {
    const { operation, name, doing } = proposal;
    const file = (await filesOf(client, plan, [operation])).find(({ path }) => path === proposal.path);
    if (!file) {
      return;
    }
    const id = `${plan.planId}-${operation}`;
    const after = await this.view.compare(id, file, `${name} (${DOINGS[doing]})`, { preserveFocus: true });
    if (!this.threads.has(operation)) {
      const line = belowChange(file.before ?? '', file.after ?? '');
      this.threads.set(operation, this.thread(after, line, proposal));
    }
    this.tell(operation, isAccepted);
  }

  /** Shows what all that is accepted makes of a file that the proposals share. */
  async showShared(client: LanguageClient, plan: Plan, path: string, accepted: readonly number[]): Promise<void> {
    const file = (await filesOf(client, plan, accepted)).find((each) => each.path === path);
    if (file) {
      this.isSharedShown = true;
      await this.view.compare(sharedId(plan), file, `${path} (all that is accepted)`, { preserveFocus: true });
    }
  }

  /** What is accepted has changed, and with it what that makes of the files that are shown. */
  async updateShared(client: LanguageClient, plan: Plan, accepted: readonly number[]): Promise<void> {
    if (this.isSharedShown) {
      const files = await filesOf(client, plan, accepted).catch(() => []);
      files.forEach((file) => this.view.update(sharedId(plan), file));
    }
  }

  /** Says beside the words what was decided. */
  tell(operation: number, isAccepted: boolean): void {
    const thread = this.threads.get(operation);
    if (thread) {
      thread.label = isAccepted ? 'Accepted' : 'Rejected';
    }
  }

  /** Closes all that is shown of a plan. */
  async close({ planId }: Plan): Promise<void> {
    this.threads.forEach((thread) => thread.dispose());
    this.threads.clear();
    this.isSharedShown = false;
    await this.view.close(`${planId}-`);
  }

  private thread(document: vscode.Uri, line: number, proposal: Proposal): vscode.CommentThread {
    const comments = commentsOf(proposal);
    const thread = this.controller.createCommentThread(document, new vscode.Range(line, 0, line, 0), comments);
    thread.canReply = false;
    // Nothing is to be answered. For what is, VS Code opens its list of comments, by the default in package.json.
    thread.state = vscode.CommentThreadState.Resolved;
    thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
    return thread;
  }
}

function sharedId({ planId }: Plan): string {
  return `${planId}-all`;
}

async function filesOf(
  client: LanguageClient,
  { planId, directory }: Plan,
  only: readonly number[],
): Promise<PlannedFile[]> {
  const [plan] = await execute<{ files: PlannedFile[] }[]>(client, 'memoryLs.plans', { planId, directory, only });
  return plan?.files ?? [];
}

/** The quotes, and why they lead to this change. */
function commentsOf({ evidence, reasons, isUnverified, isOutdated }: Proposal): vscode.Comment[] {
  const quotes = evidence.map(({ message, quote }) => comment(`Message ${message} of the chat`, quote));
  const why = [...reasons, ...(isUnverified ? [UNVERIFIED] : []), ...(isOutdated ? [OUTDATED] : [])];
  return [...quotes, ...(why.length > 0 ? [comment('Why', why.map(sentence).join(' '))] : [])];
}

function comment(name: string, text: string): vscode.Comment {
  return {
    author: { name },
    body: text, // and so no markdown
    mode: vscode.CommentMode.Preview,
  };
}
