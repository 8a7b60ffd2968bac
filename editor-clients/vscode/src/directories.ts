// The memory directories that concern this window: below its folders, around its open markdown files, and in
// the agents' home.
import * as vscode from 'vscode';
import { directoriesBelow, directoryOf, isMemoryDirectory, projectDirectory, realPath } from './discover';
import { namedDirectories } from './settings';

export class Directories {
  /** Those that were found so far. */
  readonly known = new Set<string>();

  /** Whether a file lies in a memory directory, which is remembered. */
  hold(file: vscode.Uri): boolean {
    if (file.scheme !== 'file' || !file.path.endsWith('.md')) {
      return false;
    }
    const named = namedDirectories();
    const directory = directoryOf(file.fsPath, named) ?? directoryOf(realPath(file.fsPath), named);
    if (directory) {
      this.known.add(directory);
    }
    return directory !== undefined;
  }

  /** Looks at the open files first, then for the folders of the workspace, and tells whether there is any. */
  async look(): Promise<boolean> {
    const open = vscode.workspace.textDocuments.filter((document) => this.hold(document.uri));
    return open.length > 0 || this.known.size > 0 || this.lookBelow();
  }

  private async lookBelow(): Promise<boolean> {
    for (const folder of vscode.workspace.workspaceFolders ?? []) {
      const found = folder.uri.scheme === 'file' ? await this.firstOf(folder.uri.fsPath) : undefined;
      if (found) {
        this.known.add(found);
        return true;
      }
    }
    return false;
  }

  private async firstOf(folder: string): Promise<string | undefined> {
    const project = await projectDirectory(folder);
    if (await isMemoryDirectory(project)) {
      return project;
    }
    for await (const directory of directoriesBelow(folder, namedDirectories())) {
      return directory;
    }
    return undefined;
  }
}
