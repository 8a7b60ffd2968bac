// Shows changes of files, planned or past, as VS Code shows changes: both sides are documents of ours.
import * as vscode from 'vscode';

export const SCHEME = 'memory-ls-plan';

export interface PlannedFile {
  readonly path: string;
  readonly newPath: string | null;
  /** The whole text; null where there is no file. */
  readonly before: string | null;
  readonly after: string | null;
}

export class PlanView implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? ''; // as where a window is opened again
  }

  dispose(): void {
    this.registration.dispose();
    this.changed.dispose();
  }

  /** What became of one file, or would, under a title. Answers with the document of what it is after. */
  async compare(
    id: string,
    file: PlannedFile,
    title: string,
    options?: vscode.TextDocumentShowOptions,
  ): Promise<vscode.Uri> {
    const { before, after } = this.sides(id, file);
    await vscode.commands.executeCommand('vscode.diff', before, after, title, options);
    return after;
  }

  /** What became of several files, in one editor. */
  async compareAll(id: string, files: readonly PlannedFile[], title: string): Promise<void> {
    const resources = files.map((file) => this.sides(id, file)).map(({ before, after }) => [after, before, after]);
    await vscode.commands.executeCommand('vscode.changes', title, resources);
  }

  /** Renews what is shown of a file. */
  update(id: string, file: PlannedFile): void {
    this.sides(id, file);
  }

  /** Closes what shows a change whose id begins so. */
  async close(id: string): Promise<void> {
    const isOurs = ({ input }: vscode.Tab) =>
      input instanceof vscode.TabInputTextDiff &&
      input.modified.scheme === SCHEME &&
      input.modified.query.startsWith(id);
    await vscode.window.tabGroups.close(vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.filter(isOurs)));
  }

  private sides(id: string, file: PlannedFile): { before: vscode.Uri; after: vscode.Uri } {
    return {
      before: this.document(id, 'before', file.path, file.before),
      after: this.document(id, 'after', file.newPath ?? file.path, file.after),
    };
  }

  private document(id: string, side: string, path: string, text: string | null): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${path}`, query: `${id}-${side}` });
    const before = this.texts.get(uri.toString());
    this.texts.set(uri.toString(), text ?? '');
    if (before !== undefined && before !== this.texts.get(uri.toString())) {
      this.changed.fire(uri);
    }
    return uri;
  }
}
