// The project's own Python for the scripts: the one of .venv, else the one that PYTHON names, else python3.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../..', import.meta.url));

export function python() {
  const own = join(root, '.venv', ...(process.platform === 'win32' ? ['Scripts', 'python.exe'] : ['bin', 'python']));
  return process.env.PYTHON ?? (existsSync(own) ? own : 'python3');
}
