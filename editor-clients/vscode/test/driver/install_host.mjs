// Installs a real VS Code for the tests, from npm packages alone: code-server carries VS Code's server, its extension
// host and its web workbench. Install scripts are not run, since they ask download hosts; of the native modules the
// one that is needed is compiled. Needs g++, make and python3, about 35 seconds and 700 MB; where it is installed
// already, nothing is done. usage: node install_host.mjs DESTINATION
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const CODE_SERVER = '4.139.1';

const destination = resolve(process.argv[2] ?? process.exit(2));
const stamp = join(destination, `.installed-${CODE_SERVER}-${process.version}`);
if (existsSync(stamp)) process.exit(0);

console.log('Installing VS Code for the tests (once; takes about a minute) …');
const nodeHome = dirname(dirname(process.execPath));
const npm = join(nodeHome, 'lib', 'node_modules', 'npm');
rmSync(destination, { recursive: true, force: true });
mkdirSync(destination, { recursive: true });
writeFileSync(join(destination, 'package.json'), '{"name": "vscode-host", "private": true}\n');
install(destination, `code-server@${CODE_SERVER}`);

const vscode = join(destination, 'node_modules', 'code-server', 'lib', 'vscode');
install(vscode, '--omit=dev');
// The links that code-server's own install script makes.
for (const [target, link] of [
  ['node_modules', 'node_modules.asar'],
  ['code-linux.sh', 'bin/remote-cli/code-server'],
  ['browser-linux.sh', 'bin/helpers/browser.sh'],
]) {
  rmSync(join(vscode, link), { force: true });
  symlinkSync(target, join(vscode, link));
}
const gyp = join(npm, 'node_modules', 'node-gyp', 'bin', 'node-gyp.js');
run(join(vscode, 'node_modules', '@vscode', 'spdlog'), gyp, 'rebuild', `--nodedir=${nodeHome}`);

writeFileSync(stamp, '');

function install(directory, ...what) {
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  run(directory, join(npm, 'bin', 'npm-cli.js'), 'install', ...quiet, ...what);
}

/** Runs a script with this Node; what it says is shown when it fails. */
function run(cwd, ...args) {
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, env, encoding: 'utf8' });
  if (status !== 0) {
    console.error(`${args.join(' ')} failed in ${cwd}:\n${stdout}${stderr}`);
    process.exit(1);
  }
}
