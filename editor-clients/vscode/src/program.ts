// Which program is the server: the one that the settings name, else `memory-ls` on the PATH, else one in an
// environment of the extension's own. Nothing here knows of VS Code.
import { promises as fs, constants } from 'node:fs';
import * as path from 'node:path';
import type { Environment } from './environment';
import { Trouble } from './trouble';

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  /** Where it was found, for the log. */
  readonly origin: string;
}

/** `configured` is what the settings name; `environment` what can be made where nothing is installed. */
export async function findProgram(configured: string, searchPath: string, environment: Environment): Promise<Program> {
  if (configured) {
    if (!path.isAbsolute(configured) || !(await isProgram(configured))) {
      throw new Trouble(
        `The setting memoryLs.server.path names "${configured}", which is not the full path of a program.`,
        ['settings'],
      );
    }
    return { command: configured, args: ['serve'], origin: 'the setting memoryLs.server.path' };
  }
  const installed = await onPath('memory-ls', searchPath);
  if (installed) {
    return { command: installed, args: ['serve'], origin: 'the PATH' };
  }
  const python = await environment.python();
  return {
    command: python,
    args: ['-I', '-m', 'memory_ls', 'serve'],
    origin: "the extension's own environment",
  };
}

/** The first program of that name in the directories of `searchPath`; relative ones are no places to trust. */
export async function onPath(name: string, searchPath: string): Promise<string | undefined> {
  const file = process.platform === 'win32' ? `${name}.exe` : name;
  for (const directory of searchPath.split(path.delimiter)) {
    if (path.isAbsolute(directory) && (await isProgram(path.join(directory, file)))) {
      return path.join(directory, file);
    }
  }
  return undefined;
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await fs.access(file, constants.X_OK);
    return (await fs.stat(file)).isFile();
  } catch {
    return false;
  }
}
