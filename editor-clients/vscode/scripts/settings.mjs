// Writes the server's settings, as `python -m memory_ls.settings vscode` tells them, into package.json.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { python, root } from './python.mjs';

const { status, stdout } = spawnSync(python(), ['-m', 'memory_ls.settings', 'vscode'], {
  cwd: root,
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
});
if (status !== 0) process.exit(1);
const { properties, restricted } = JSON.parse(stdout);

const file = new URL('../package.json', import.meta.url);
const manifest = JSON.parse(readFileSync(file, 'utf8'));
const { configuration } = manifest.contributes;
const own = ['memoryLs.server.path', 'memoryLs.trace.server'].map((key) => [key, configuration.properties[key]]);
configuration.properties = { ...Object.fromEntries(own), ...properties };
manifest.capabilities.untrustedWorkspaces.restrictedConfigurations = [own[0][0], ...restricted];
writeFileSync(file, JSON.stringify(manifest, undefined, 2) + '\n');
