// Runs the tests of test/plain, which need no VS Code, in Node.
import { build } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';

process.chdir(new URL('../..', import.meta.url).pathname);
const outdir = 'dist/test/plain';
await build({
  entryPoints: globSync('test/plain/*.test.ts'),
  outdir,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  sourcemap: true,
  logLevel: 'warning',
});
const { status } = spawnSync(process.execPath, ['--enable-source-maps', '--test', `${outdir}/*.js`], {
  stdio: 'inherit',
});
process.exit(status ?? 1);
