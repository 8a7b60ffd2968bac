// The user's settings, as the server takes them.
import * as os from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { realPath } from './discover';

export const SECTION = 'memoryLs';

// Of the client alone; the server knows none of these.
const OWN = ['server.path', 'trace.server'];

/**
 * What the user has set, without the defaults: the server has those, and they must not win over the
 * user's and the project's own files. A key that is not set is left out, or null where `all` are asked for,
 * which takes back what was said of it before.
 */
export function givenSettings(keys: readonly string[], all: boolean): Record<string, unknown> {
  const configuration = vscode.workspace.getConfiguration(SECTION);
  const given: Record<string, unknown> = {};
  for (const key of keys) {
    const found = configuration.inspect(key);
    const values = [found?.globalValue, found?.workspaceValue, found?.workspaceFolderValue];
    if (values.some((value) => value !== undefined)) {
      given[key] = configuration.get(key);
    } else if (all) {
      given[key] = null;
    }
  }
  return given;
}

/** The keys of the server's settings, as the extension's package.json contributes them. */
export function serverKeys(extension: vscode.Extension<unknown>): string[] {
  const properties = Object.keys(extension.packageJSON.contributes.configuration.properties);
  return properties.map((name) => name.slice(SECTION.length + 1)).filter((key) => !OWN.includes(key));
}

/** The program that the user names as the server; empty when none. */
export function serverPath(): string {
  const value = vscode.workspace.getConfiguration(SECTION).get<string>('server.path', '').trim();
  return withHome(value);
}

/** The memory directories that the settings name, as absolute paths: as written, and without links. */
export function namedDirectories(): string[] {
  const configuration = vscode.workspace.getConfiguration(SECTION);
  const names = [...configuration.get<unknown[]>('directories', []), configuration.get('directory')];
  const base = vscode.workspace.workspaceFolders?.find((each) => each.uri.scheme === 'file');
  return names
    .filter((name): name is string => typeof name === 'string' && name.trim() !== '')
    .map((name) => path.resolve(base?.uri.fsPath ?? os.homedir(), withHome(name)))
    .flatMap((directory) => [directory, realPath(directory)]);
}

/**
 * Shows a setting of the machine that the extension runs on to be changed. Where that is not the user's own, as over
 * SSH, it stands among the settings of the remote machine and nowhere else.
 */
export async function openMachineSetting(key: string): Promise<void> {
  const command = vscode.env.remoteName === undefined ? 'openSettings' : 'openRemoteSettings';
  await vscode.commands.executeCommand(`workbench.action.${command}`, { query: `@id:${SECTION}.${key}` });
}

function withHome(name: string): string {
  return /^~(?=$|[\\/])/.test(name) ? os.homedir() + name.slice(1) : name;
}
