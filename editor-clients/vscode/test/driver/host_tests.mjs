// Runs the tests of test/host inside VS Code's real extension host and exits with their result. The extension is taken
// from its folder, as it was built last; the server is the `memory-ls` of the PATH, listened to by proxy.mjs.
// Most suites have a workspace that is trusted, one another that is not.
// usage: node host_tests.mjs HOST [SUITE…]   (the host is made by install_host)
import { build } from 'esbuild';
import { chmodSync, mkdirSync, readFileSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { openPage, pageAddress, scratch, serve } from './vscode.mjs';

const SECONDS = 150;
// VS Code refuses to show dialogs to the tests that it runs itself: an extension of ours runs these suites.
const WITH_DIALOGS = ['memories', 'commands', 'providers', 'untrusted', 'bare', 'pythonless'];
const [host] = process.argv.slice(2);
const extension = fileURLToPath(new URL('../..', import.meta.url));
const runner = fileURLToPath(new URL('runner', import.meta.url));
// For who wants to look at them: a picture of whatever a test looks at or clicks on.
const pictures = process.env.MEMORY_LS_PICTURES;

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

const wanted = process.argv.slice(3);
for (const suite of wanted.length > 0
  ? wanted
  : ['extension', 'writing', 'consolidate', 'review', 'markdown', ...WITH_DIALOGS]) {
  if ((await runSuite(suite)) || (await runAgain(suite))) continue;
  process.exit(1);
}
process.exit(0);

/** On a busy machine a window may swallow a click: a fault is what fails twice, and the first time is told too. */
function runAgain(suite) {
  console.log(`${suite} failed and is run once more`);
  return runSuite(suite);
}

async function runSuite(suite) {
  const work = realpathSync(scratch());
  const folder = join(work, 'project');
  const state = join(work, 'state');
  const record = join(work, 'said.jsonl');
  const report = join(work, 'report.txt');
  for (const name of ['home', 'bin', 'project']) mkdirSync(join(work, name));
  // Empty as yet. VS Code's own watcher does not always see a directory in another that has just been made.
  for (const name of ['.claude/memory', 'notes']) mkdirSync(join(folder, name), { recursive: true });
  for (const file of [record, report]) writeFileSync(file, '');
  const proxy = join(work, 'bin', 'memory-ls');
  writeProgram(
    proxy,
    `exec '${process.execPath}' '${fileURLToPath(new URL('proxy.mjs', import.meta.url))}' '${record}' '${server()}' "$@"`,
  );
  if (suite === 'untrusted') writeSettings(folder, proxy);
  let page;
  let end;
  const ended = new Promise((resolve) => {
    end = resolve;
    setTimeout(() => resolve('timeout'), SECONDS * 1000).unref();
  });
  const hand = await lendHand(suite, () => page, end);
  process.env.MEMORY_LS_TEST = JSON.stringify({ work, record, report, suite, hand: hand.address });

  const vscode = await serve({
    host,
    state,
    home: join(work, 'home'),
    programs: [join(work, 'bin')],
    trust: suite === 'untrusted',
    ...(suite === 'pythonless' ? { programs: [], path: '' } : {}),
  });
  const remote = `vscode-remote://${vscode.address}`;
  const extensions = WITH_DIALOGS.includes(suite) ? [extension, runner] : [extension];
  const opened = await openPage({
    development: extensions.map((path) => ({ scheme: 'vscode-remote', authority: vscode.address, path })),
  });
  const { browser } = opened;
  page = opened.page;
  page.on('pageerror', (error) => console.log(String(error)));
  let log = '';
  await page.exposeFunction('codeAutomationLog', (type, args) => void (log += `${type} ${args.join(' ')}\n`));
  await page.exposeFunction('codeAutomationExit', end);
  const payload = [['skipWelcome', 'true']];
  if (!WITH_DIALOGS.includes(suite)) payload.push(['extensionTestsPath', remote + tests]);
  await page.goto(pageAddress(vscode.address, folder, payload), { waitUntil: 'domcontentloaded' });
  // The tests ask for trust where only a person can give it.
  const trust = page.locator('.workspace-trust-editor .monaco-button:text-is("Trust")').first();
  if (suite === 'untrusted') trust.click({ timeout: SECONDS * 1000 }).catch(() => undefined);
  const code = await ended;
  console.log(readFileSync(report, 'utf8'));
  if (code !== 0) console.log(withoutStacks(log), vscode.output(), logOf(state), lastOf(record));
  if (code === 'timeout') {
    const picture = join(extension, 'dist', 'test', 'timeout.png');
    await page.screenshot({ path: picture });
    console.log(`no end after ${SECONDS} seconds, see ${picture}`);
  }
  await browser.close();
  hand.close();
  vscode.stop();
  return code === 0;
}

/**
 * Does in the page what no extension can: a test sends {selector, act, text}, where `act` is click, menu (a click with
 * the other button), choose (from a menu), hover, look, fill (with the text), or a key to press there, and gets the text
 * of what it meant. Who runs the tests sends how they ended.
 */
async function lendHand(suite, page, end) {
  let number = 0;
  const acts = {
    look: () => undefined,
    click: async (one) => {
      await page().mouse.move(0, 0); // what is told about the last thing that was clicked may lie over the next
      await one.click({ timeout: 5_000 });
    },
    menu: (one) => one.click({ timeout: 5_000, button: 'right' }),
    choose: clickUntilGone,
    hover: (one) => one.hover({ timeout: 5_000 }),
    fill: (one, text) => one.fill(text),
  };
  const server = createServer(async (request, response) => {
    try {
      const { selector, act, text, code } = JSON.parse(Buffer.concat(await request.toArray()).toString());
      if (act === 'end') {
        end(code);
        return response.end();
      }
      const one = page().locator(selector).first();
      await one.waitFor({ timeout: 20_000 });
      const seen = await one.innerText();
      const name = `${suite}-${String(++number).padStart(3, '0')}.png`;
      if (pictures) await page().screenshot({ path: join(pictures, name) });
      await (acts[act] ?? ((one) => one.press(act, { timeout: 5_000 })))(one, text);
      response.end(JSON.stringify({ seen }));
    } catch (error) {
      const picture = join(extension, 'dist', 'test', 'hand.png');
      await page().screenshot({ path: picture });
      response.end(JSON.stringify({ error: `${error}, see ${picture}` }));
    }
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return { address: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

/** A menu that has just come takes no click as yet. */
async function clickUntilGone(one) {
  for (let tries = 0; tries < 50 && (await one.isVisible()); tries++) {
    await one.click({ timeout: 200 }).catch(() => undefined);
    await one.page().waitForTimeout(100);
  }
}

/** What the extension wrote into its log, and VS Code's server into its own. */
function logOf(state) {
  const folder = join(state, 'user', 'logs');
  const logs = readdirSync(folder, { recursive: true }).filter((name) => /(Memory|remoteagent)\.log$/.test(name));
  return logs.map((name) => `${name}:\n${readFileSync(join(folder, name), 'utf8')}`).join('\n');
}

/** The last that VS Code said to the server, each cut to a line. */
function lastOf(record) {
  const lines = readFileSync(record, 'utf8').split('\n').slice(-40);
  return lines.map((line) => line.slice(0, 300)).join('\n');
}

/** A stack of VS Code's own says nothing here, and there are long ones. */
function withoutStacks(text) {
  return text.replace(/^ {4}at .*\n/gm, '');
}

function server() {
  const found = spawnSync('sh', ['-c', 'command -v memory-ls'], { encoding: 'utf8' }).stdout.trim();
  if (!found) throw new Error('there is no memory-ls on the PATH');
  return found;
}

/** Settings of the workspace that name a program of its own, which tells that it was run. */
function writeSettings(folder, proxy) {
  const program = join(folder, 'server.sh');
  writeProgram(program, `touch '${join(folder, 'was-run')}'; exec '${proxy}' "$@"`);
  const settings = {
    'memoryLs.server.path': program,
    'memoryLs.command': [program],
    'memoryLs.directory': '/',
    'memoryLs.staleDays': 77,
  };
  mkdirSync(join(folder, '.vscode'));
  writeFileSync(join(folder, '.vscode', 'settings.json'), JSON.stringify(settings));
}

function writeProgram(file, command) {
  writeFileSync(file, `#!/bin/sh\n${command}\n`);
  chmodSync(file, 0o755);
}
