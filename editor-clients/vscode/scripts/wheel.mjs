// Puts the server into the extension as a wheel, from which it sets itself up where no memory-ls is installed.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { python, root } from './python.mjs';

const place = fileURLToPath(new URL('../server', import.meta.url));
rmSync(place, { recursive: true, force: true });
const pip = ['-m', 'pip', 'wheel', '--quiet', '--disable-pip-version-check', '--no-deps', '--wheel-dir', place, root];
process.exit(spawnSync(python(), pip, { stdio: 'inherit' }).status ?? 1);
