// Runs the tests of test/plain, which need no VS Code, in Node.
import { build } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';

process.chdir(new URL('../..', import.meta.url).pathname);
const outdir = 'dist/test/plain';
const tests = readdirSync('test/plain').filter((name) => name.endsWith('.test.ts'));
await build({
  entryPoints: tests.map((name) => `test/plain/${name}`),
  outdir,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  sourcemap: true,
  logLevel: 'warning',
});
const { status } = spawnSync(
  process.execPath,
  [
    '--enable-source-maps',
    '--test',
    '--test-reporter=spec',
    ...tests.map((name) => `${outdir}/${name.replace(/ts$/, 'js')}`),
  ],
  {
    stdio: 'inherit',
  },
);
process.exit(status ?? 1);
