// Shows what a plan would make of the files, before anything is written: both sides are documents of ours.
import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';
import { execute } from './commands';

const SCHEME = 'memory-ls-plan';

export interface PlannedFile {
  readonly path: string;
  readonly newPath: string | null;
  /** The whole text; null where there is no file. */
  readonly before: string | null;
  readonly after: string | null;
}

export class PlanView implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? ''; // as where a window is opened again
  }

  dispose(): void {
    this.registration.dispose();
  }

  /** All files of a plan in one editor, or of these the one with that path by itself. */
  async show(client: LanguageClient, planId: string, directory: string, path?: string): Promise<void> {
    const [plan] = await execute<{ files: PlannedFile[] }[]>(client, 'memoryLs.plans', { planId, directory });
    this.texts.clear();
    const sides = (plan?.files ?? []).map((file) => ({
      path: file.path,
      before: this.document(planId, 'before', file.path, file.before),
      after: this.document(planId, 'after', file.newPath ?? file.path, file.after),
    }));
    const one = sides.find((file) => file.path === path);
    if (one) {
      await vscode.commands.executeCommand('vscode.diff', one.before, one.after, `${one.path} (planned)`);
    } else {
      const resources = sides.map(({ before, after }) => [after, before, after]);
      await vscode.commands.executeCommand('vscode.changes', 'Planned changes of memories', resources);
    }
  }

  /** What became of one file, under a title. */
  async compare(id: string, file: PlannedFile, title: string): Promise<void> {
    const before = this.document(id, 'before', file.path, file.before);
    const after = this.document(id, 'after', file.newPath ?? file.path, file.after);
    await vscode.commands.executeCommand('vscode.diff', before, after, title);
  }

  private document(planId: string, side: string, path: string, text: string | null): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${path}`, query: `${planId}-${side}` });
    this.texts.set(uri.toString(), text ?? '');
    return uri;
  }
}
