// The memory directories that concern this window: below its folders, and around its open markdown files.
import * as vscode from 'vscode';
import { directoriesBelow, directoryOf } from './discover';
import { namedDirectories } from './settings';

export class Directories {
  /** Those that were found so far. */
  readonly known = new Set<string>();

  /** Whether a file lies in a memory directory, which is remembered. */
  hold(file: vscode.Uri): boolean {
    if (file.scheme !== 'file' || !file.path.endsWith('.md')) {
      return false;
    }
    const directory = directoryOf(file.fsPath, namedDirectories());
    if (directory) {
      this.known.add(directory);
    }
    return directory !== undefined;
  }

  /** Looks at the open files first, then below the folders of the workspace, and tells whether there is any. */
  async look(): Promise<boolean> {
    const open = vscode.workspace.textDocuments.filter((document) => this.hold(document.uri));
    return open.length > 0 || this.known.size > 0 || this.lookBelow();
  }

  private async lookBelow(): Promise<boolean> {
    const named = namedDirectories();
    for (const folder of vscode.workspace.workspaceFolders ?? []) {
      if (folder.uri.scheme === 'file') {
        for await (const directory of directoriesBelow(folder.uri.fsPath, named)) {
          this.known.add(directory);
          return true;
        }
      }
    }
    return false;
  }
}
