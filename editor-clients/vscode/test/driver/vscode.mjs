// A real VS Code for tests: its server with a clean profile on the loopback interface, and a browser that shows it.
// Nothing is taken from the user's machine, and neither editor nor browser asks anything outside of it.
import { chromium } from 'playwright-core';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const SETTINGS = {
  'telemetry.telemetryLevel': 'off',
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'update.mode': 'none',
  'update.showReleaseNotes': false,
  'workbench.startupEditor': 'none',
  'workbench.enableExperiments': false,
  'workbench.settings.enableNaturalLanguageSearch': false,
  'workbench.tips.enabled': false,
  'workbench.welcome.enabled': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'chat.disableAIFeatures': true,
  'git.enabled': false,
};

/**
 * Starts VS Code's server and answers with its address and how to stop it.
 * `programs` is put in front of the PATH, which is this process's own unless `path` is another; `vsix` is installed first; `home` becomes the home directory.
 */
export async function serve({
  host,
  state,
  home,
  programs = [],
  path = process.env.PATH,
  vsix,
  settings = {},
  trust = false,
}) {
  for (const name of ['User', 'Machine']) mkdirSync(join(state, 'user', name), { recursive: true });
  mkdirSync(join(state, 'extensions'), { recursive: true });
  const profile = {
    ...SETTINGS,
    'security.workspace.trust.enabled': trust,
    'security.workspace.trust.startupPrompt': 'never',
  };
  writeFileSync(join(state, 'user', 'User', 'settings.json'), JSON.stringify(profile));
  // Those of the machine on which the extensions run: programs are named there.
  writeFileSync(join(state, 'user', 'Machine', 'settings.json'), JSON.stringify(settings));
  writeFileSync(join(state, 'config.yaml'), 'auth: none\n');
  const env = {
    ...process.env,
    ...homeVariables(home),
    PATH: [...programs, path].join(delimiter),
    CODE_SERVER_CONFIG: join(state, 'config.yaml'),
    VSCODE_CLI: '1', // as when started in a terminal: the PATH is not taken from a login shell
    EXTENSIONS_GALLERY: '{"serviceUrl":"","itemUrl":""}',
  };
  const entry = join(host, 'node_modules', 'code-server', 'out', 'node', 'entry.js');
  const places = ['--user-data-dir', join(state, 'user'), '--extensions-dir', join(state, 'extensions')];
  if (vsix) {
    const done = spawnSync(process.execPath, [entry, ...places, '--install-extension', vsix], {
      env,
      encoding: 'utf8',
    });
    if (done.status !== 0) throw new Error(`installing ${vsix} failed:\n${done.stdout}${done.stderr}`);
  }
  const port = await freePort();
  const quiet = [
    '--auth',
    'none',
    '--disable-telemetry',
    '--disable-update-check',
    '--disable-getting-started-override',
  ];
  const trusting = trust ? [] : ['--disable-workspace-trust'];
  const server = spawn(
    process.execPath,
    [entry, ...places, ...quiet, ...trusting, '--bind-addr', `127.0.0.1:${port}`],
    {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true, // a process group of its own, to be ended whole
    },
  );
  let output = '';
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (text) => (output += text));
  const stop = () => {
    try {
      process.kill(-server.pid, 'SIGKILL');
    } catch {
      // gone already
    }
  };
  process.on('exit', stop);
  await untilReady(port, server, () => output);
  return { address: `127.0.0.1:${port}`, output: () => output, stop };
}

function homeVariables(home) {
  const variables = { HOME: home };
  for (const name of ['CONFIG', 'STATE', 'DATA', 'CACHE'])
    variables[`XDG_${name}_HOME`] = join(home, name.toLowerCase());
  return variables;
}

async function untilReady(port, server, output) {
  for (let tries = 0; tries < 300; tries++) {
    if (server.exitCode !== null) break;
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined);
    if (answer?.ok) return;
    await sleep(100);
  }
  throw new Error(`VS Code's server did not start:\n${output()}`);
}

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

/** A page of a browser that reaches this machine alone; with `development` for extensions in their folders, as URIs. */
export async function openPage({ development } = {}) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
    ],
  });
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  if (development) await context.addInitScript(allowDevelopment, development);
  return { browser, page: await context.newPage() };
}

/**
 * The workbench takes extensions in their folders, and tests, from the page only when its own options say that
 * it is driven by tests; no flag of the server says so, and so the options are amended where the page reads them.
 * With it the workbench shows no notifications.
 */
function allowDevelopment(extensions) {
  const get = Element.prototype.getAttribute;
  Element.prototype.getAttribute = function (name) {
    const value = get.call(this, name);
    if (this.id !== 'vscode-workbench-web-configuration' || name !== 'data-settings' || !value) return value;
    const options = JSON.parse(value);
    options.developmentOptions = { ...options.developmentOptions, extensions, enableSmokeTestDriver: true };
    return JSON.stringify(options);
  };
}

/** The address of VS Code with `folder` open and the given parts of the page's payload. */
export function pageAddress(address, folder, payload) {
  const query = new URLSearchParams({ folder, payload: JSON.stringify(payload) });
  return `http://${address}/?${query}`;
}

/** An empty directory for one run; removed when the process ends. */
export function scratch() {
  const directory = mkdtempSync(join(tmpdir(), 'memory-ls-vscode-'));
  process.on('exit', () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  return directory;
}
