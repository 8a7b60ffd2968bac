// Texts of ours to read, in an editor, with links.
import * as vscode from 'vscode';

const SCHEME = 'memory-ls';

/** A piece of a text; a link where it leads somewhere: to a file, or to what a command does. */
export type Piece = string | { readonly text: string; readonly target: vscode.Uri };

export class Pages implements vscode.TextDocumentContentProvider, vscode.DocumentLinkProvider, vscode.Disposable {
  private readonly pages = new Map<string, readonly Piece[]>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly registrations = vscode.Disposable.from(
    this.changed,
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
    vscode.languages.registerDocumentLinkProvider({ scheme: SCHEME }, this),
  );

  dispose(): void {
    this.registrations.dispose();
  }

  /** Opens a text under a title, in place of the one before it under that title. */
  async show(title: string, pieces: readonly Piece[]): Promise<void> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${title}.md` });
    const isNew = !this.pages.has(uri.toString());
    this.pages.set(uri.toString(), pieces);
    if (!isNew) {
      this.changed.fire(uri);
    }
    await vscode.window.showTextDocument(uri, { preview: true });
  }

  /** Closes the text with that title. */
  async close(title: string): Promise<void> {
    const isIt = ({ input }: vscode.Tab) =>
      input instanceof vscode.TabInputText && input.uri.scheme === SCHEME && input.uri.path === `/${title}.md`;
    await vscode.window.tabGroups.close(vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.filter(isIt)));
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return (this.pages.get(uri.toString()) ?? []).map(textOf).join('');
  }

  provideDocumentLinks(document: vscode.TextDocument): vscode.DocumentLink[] {
    const links: vscode.DocumentLink[] = [];
    let at = 0;
    for (const piece of this.pages.get(document.uri.toString()) ?? []) {
      const end = at + textOf(piece).length;
      if (typeof piece !== 'string') {
        const range = new vscode.Range(document.positionAt(at), document.positionAt(end));
        links.push(new vscode.DocumentLink(range, piece.target));
      }
      at = end;
    }
    return links;
  }
}

/** A link to what a command does with an argument. */
export function toCommand(text: string, command: string, argument: object): Piece {
  const query = encodeURIComponent(JSON.stringify([argument]));
  return { text, target: vscode.Uri.parse(`command:${command}?${query}`) };
}

// Positions in a document count its line ends as one character each.
function textOf(piece: Piece): string {
  return (typeof piece === 'string' ? piece : piece.text).replace(/\r\n?/g, '\n');
}
