// What a click on a code lens of the server does: VS Code's own list of references, which takes no LSP values.
import * as vscode from 'vscode';

interface Position {
  readonly line: number;
  readonly character: number;
}

interface Location {
  readonly uri: string;
  readonly range: { readonly start: Position; readonly end: Position };
}

export async function showReferences(uri: string, at: Position, locations: Location[]): Promise<void> {
  await vscode.commands.executeCommand(
    'editor.action.showReferences',
    vscode.Uri.parse(uri),
    position(at),
    locations.map(
      ({ uri, range }) =>
        new vscode.Location(vscode.Uri.parse(uri), new vscode.Range(position(range.start), position(range.end))),
    ),
  );
}

function position({ line, character }: Position): vscode.Position {
  return new vscode.Position(line, character);
}
