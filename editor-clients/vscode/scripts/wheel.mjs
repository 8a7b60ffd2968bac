// Puts the server into the extension as a wheel, from which it sets itself up where no memory-ls is installed.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { python, root } from './python.mjs';

const place = fileURLToPath(new URL('../server', import.meta.url));
rmSync(place, { recursive: true, force: true });
// Where what builds the wheel is installed, as it is for development, nothing has to be fetched.
const hasBuilder = spawnSync(python(), ['-c', 'import hatchling'], { stdio: 'ignore' }).status === 0;
const pip = ['-m', 'pip', 'wheel', '--quiet', '--disable-pip-version-check', '--no-deps', '--wheel-dir', place];
if (hasBuilder) pip.push('--no-build-isolation');
process.exit(spawnSync(python(), [...pip, root], { stdio: 'inherit' }).status ?? 1);
