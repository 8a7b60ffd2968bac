// Editors of files that a command of ours has taken from the disk, or renamed: VS Code sees to them itself where that
// is done in the explorer, and keeps showing what is not there where it is done otherwise.
import { existsSync } from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';

/** Closes the editors of files that are gone, and shows those that were `renamed` under their new names. */
export async function keepUp(
  directory: string,
  files: readonly string[],
  renamed: Readonly<Record<string, string>> = {},
): Promise<void> {
  for (const file of files.filter((file) => !existsSync(path.join(directory, file)))) {
    const newPath = renamed[file];
    for (const { group, isPreview } of tabsOf(directory, file).filter(({ isActive }) => newPath && isActive)) {
      const options = { viewColumn: group.viewColumn, preview: isPreview, preserveFocus: true };
      await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(path.join(directory, newPath!)), options);
    }
    // Those that the new ones have not taken the place of; what was typed and not saved stays open.
    const left = tabsOf(directory, file).filter(({ isDirty }) => !isDirty);
    await vscode.window.tabGroups.close(left, true);
  }
}

function tabsOf(directory: string, file: string): vscode.Tab[] {
  const { fsPath } = vscode.Uri.file(path.join(directory, file));
  const isIt = ({ input }: vscode.Tab) =>
    input instanceof vscode.TabInputText && input.uri.scheme === 'file' && input.uri.fsPath === fsPath;
  return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.filter(isIt));
}
