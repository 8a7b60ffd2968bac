// An environment of the extension's own, made with the user's Python from the wheel that the extension carries.
// Nothing here knows of VS Code.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promises as fs } from 'node:fs';
import * as path from 'node:path';
import { onPath } from './program';
import { Trouble } from './trouble';

const OLDEST_PYTHON = [3, 11] as const;
const PYTHONS = ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11', 'python', 'py'];
const SECONDS_TO_ANSWER = 20;
const SECONDS_TO_INSTALL = 600;

export interface Tools {
  readonly searchPath: string;
  readonly log: (line: string) => void;
  /** Runs what takes long and shows it to the user, who can cancel. */
  readonly whileShown: (work: (signal: AbortSignal) => Promise<void>) => Promise<void>;
}

export class Environment {
  /** `wheels` is where the extension carries its wheel, `storage` where environments are kept. */
  constructor(
    private readonly wheels: string,
    private readonly storage: string,
    private readonly version: string,
    private readonly tools: Tools,
  ) {}

  /** The environment's Python, which is made when this version has none yet. */
  async python(): Promise<string> {
    const ready = await this.ready();
    if (ready) {
      return ready;
    }
    const wheel = await this.wheel();
    const python = await this.findPython();
    await this.tools.whileShown((signal) => this.make(python, wheel, signal));
    const made = await this.ready();
    if (!made) {
      throw new Trouble('The memory-ls server was not set up.', ['again', 'settings']);
    }
    return made;
  }

  /** A note of this version's name tells where its environment is, once it is whole. */
  private get note(): string {
    return path.join(this.storage, `${this.version}.ready`);
  }

  private async ready(): Promise<string | undefined> {
    try {
      const python = await fs.readFile(this.note, 'utf8');
      await fs.access(python);
      return python;
    } catch {
      return undefined;
    }
  }

  private async wheel(): Promise<string> {
    const names = await fs.readdir(this.wheels).catch((): string[] => []);
    const wheel = names.find((name) => name.endsWith('.whl'));
    if (!wheel) {
      throw new Trouble(
        'No memory-ls was found: install it so that it is on the PATH, or name it in the setting memoryLs.server.path.',
        ['settings'],
      );
    }
    return path.join(this.wheels, wheel);
  }

  private async findPython(): Promise<string> {
    for (const name of PYTHONS) {
      const python = await onPath(name, this.tools.searchPath);
      if (python && (await this.isNewEnough(python))) {
        this.tools.log(`Python for the server: ${python}`);
        return python;
      }
    }
    throw new Trouble(
      `The memory-ls server needs Python ${OLDEST_PYTHON.join('.')} or newer, and none was found on the PATH: ` +
        'install it, or name a memory-ls program in the setting memoryLs.server.path.',
      ['python', 'settings', 'again'],
    );
  }

  private async isNewEnough(python: string): Promise<boolean> {
    const code = `import sys; sys.exit(sys.version_info < (${OLDEST_PYTHON.join(', ')}))`;
    return this.run(python, ['-I', '-c', code], AbortSignal.timeout(SECONDS_TO_ANSWER * 1000)).then(
      () => true,
      () => false,
    );
  }

  /** Makes it in a place of its own, so that one in use by another window is never touched. */
  private async make(python: string, wheel: string, cancelled: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([cancelled, AbortSignal.timeout(SECONDS_TO_INSTALL * 1000)]);
    const place = path.join(this.storage, `${this.version}-${randomBytes(4).toString('hex')}`);
    const [folder, file] = process.platform === 'win32' ? ['Scripts', 'python.exe'] : ['bin', 'python'];
    const own = path.join(place, folder, file);
    const pip = ['-I', '-m', 'pip', 'install', '--disable-pip-version-check', '--no-input', wheel];
    try {
      await fs.mkdir(this.storage, { recursive: true });
      await this.step(python, ['-I', '-m', 'venv', place], signal, VENV_FAILED);
      await this.step(own, pip, signal, PIP_FAILED);
      await fs.writeFile(`${place}.note`, own);
      await fs.rename(`${place}.note`, this.note);
    } catch (error) {
      await remove(place);
      throw error;
    }
    await this.removeOthers();
  }

  private async step(program: string, args: string[], signal: AbortSignal, sentence: string): Promise<void> {
    try {
      await this.run(program, args, signal);
    } catch (error) {
      this.tools.log(String(error));
      throw new Trouble(signal.aborted ? 'Setting up the memory-ls server was cancelled.' : sentence, [
        'again',
        'settings',
      ]);
    }
  }

  /** Environments of other versions are of no more use. */
  private async removeOthers(): Promise<void> {
    for (const name of await fs.readdir(this.storage)) {
      if (!name.startsWith(`${this.version}-`) && !name.startsWith(`${this.version}.`)) {
        await remove(path.join(this.storage, name));
      }
    }
  }

  /** Runs a program to its end and logs what it says; rejects unless it ends well. */
  private run(program: string, args: string[], signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const child = spawn(program, args, { signal, cwd: path.dirname(program), windowsHide: true });
      child.stdin.end();
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => this.tools.log(text.trimEnd()));
      }
      child.on('error', reject);
      child.on('close', (code) =>
        code === 0 ? resolve() : reject(new Error(`${path.basename(program)} ended with ${code}`)),
      );
    });
  }
}

const VENV_FAILED =
  'The memory-ls server could not be set up: Python made no virtual environment. On Debian and Ubuntu, install python3-venv.';
const PIP_FAILED =
  'The memory-ls server could not be set up: pip failed. It needs the network once; the log tells what went wrong.';

async function remove(place: string): Promise<void> {
  // On Windows what is in use cannot be removed; the next version tries again.
  await fs.rm(place, { recursive: true, force: true }).catch(() => undefined);
}
