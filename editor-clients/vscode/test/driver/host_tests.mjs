// Runs the tests of test/host inside VS Code's real extension host and exits with their result. The extension is taken
// from its folder, as it was built last; the server is the `memory-ls` of the PATH, listened to by proxy.mjs.
// usage: node host_tests.mjs HOST   (made by install_host)
import { build } from 'esbuild';
import { chmodSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { openPage, pageAddress, scratch, serve } from './vscode.mjs';

const SECONDS = 150;
const [host] = process.argv.slice(2);
const extension = fileURLToPath(new URL('../..', import.meta.url));

const tests = join(extension, 'dist', 'test', 'host.js');
await build({
  entryPoints: [join(extension, 'test', 'host', 'index.ts')],
  outfile: tests,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  external: ['vscode', 'mocha'],
  sourcemap: true,
  logLevel: 'warning',
});

const work = realpathSync(scratch());
const folder = join(work, 'project');
const record = join(work, 'said.jsonl');
for (const name of ['home', 'bin', 'project']) mkdirSync(join(work, name));
const report = join(work, 'report.txt');
for (const file of [record, report]) writeFileSync(file, '');
writeProxy(join(work, 'bin', 'memory-ls'));
process.env.MEMORY_LS_TEST = JSON.stringify({ work, record, report });

const vscode = await serve({
  host,
  state: join(work, 'state'),
  home: join(work, 'home'),
  programs: [join(work, 'bin')],
});
const { browser, page } = await openPage({ development: true });
page.on('pageerror', (error) => console.log(String(error)));

const ended = new Promise((resolve) => {
  void page.exposeFunction('codeAutomationExit', resolve);
  setTimeout(() => resolve('timeout'), SECONDS * 1000).unref();
});
let log = '';
await page.exposeFunction('codeAutomationLog', (type, args) => void (log += `${type} ${args.join(' ')}\n`));
const remote = `vscode-remote://${vscode.address}`;
const payload = [
  ['extensionDevelopmentPath', remote + extension],
  ['extensionTestsPath', remote + tests],
  ['skipWelcome', 'true'],
];
await page.goto(pageAddress(vscode.address, folder, payload), { waitUntil: 'domcontentloaded' });
const code = await ended;
console.log(readFileSync(report, 'utf8'));
if (code !== 0) console.log(log, vscode.output());
if (code === 'timeout') {
  const picture = join(extension, 'dist', 'test', 'timeout.png');
  await page.screenshot({ path: picture });
  console.log(`no end after ${SECONDS} seconds, see ${picture}`);
}
await browser.close();
vscode.stop();
process.exit(code === 0 ? 0 : 1);

function writeProxy(file) {
  const server = spawnSync('sh', ['-c', 'command -v memory-ls'], { encoding: 'utf8' }).stdout.trim();
  if (!server) throw new Error('there is no memory-ls on the PATH');
  const proxy = fileURLToPath(new URL('proxy.mjs', import.meta.url));
  writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${proxy}' '${record}' '${server}' "$@"\n`);
  chmodSync(file, 0o755);
}
