// Editors of files that a command of ours has taken from the disk, or renamed: VS Code sees to them itself where that
// is done in the explorer, and keeps showing what is not there where it is done otherwise.
import { existsSync } from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';

/** Closes the editors of files that are gone, and shows those that were renamed under their new names. */
export async function keepUp(
  directory: string,
  files: readonly string[],
  renamed: Readonly<Record<string, string>> = {},
): Promise<void> {
  const gone = tabsOf(files.map((file) => path.join(directory, file)).filter((file) => !existsSync(file)));
  for (const { tab, file } of gone) {
    const newPath = renamed[path.relative(directory, file).replaceAll(path.sep, '/')];
    if (newPath !== undefined && tab.isActive) {
      const options = { viewColumn: tab.group.viewColumn, preview: tab.isPreview, preserveFocus: true };
      await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(path.join(directory, newPath)), options);
    }
  }
  // What was typed and not saved stays open.
  const closed = gone.map(({ tab }) => tab).filter(({ isDirty }) => !isDirty);
  await vscode.window.tabGroups.close(closed, true);
}

function tabsOf(files: readonly string[]): { tab: vscode.Tab; file: string }[] {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.flatMap((tab) => {
    const file =
      tab.input instanceof vscode.TabInputText && tab.input.uri.scheme === 'file' ? tab.input.uri.fsPath : '';
    return files.includes(file) ? [{ tab, file }] : [];
  });
}
