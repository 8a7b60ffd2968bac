// Where the server comes from, and what is said when it can come from nowhere. The programs are scripts that do what
// a Python would, or fail as one would; the walk sets the server up with a real one.
import * as assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { Environment } from '../../src/environment';
import { findProgram } from '../../src/program';
import { Trouble } from '../../src/trouble';

let root: string;
let bin: string;
let log: string[];
let cancel: AbortController;

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'memory-ls-program-'));
  bin = path.join(root, 'bin');
  mkdirSync(bin);
  log = [];
  cancel = new AbortController();
});
afterEach(() => rmSync(root, { recursive: true }));

function script(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
}

/** A Python that makes an environment whose own Python runs `pip`. */
function python(pip: string, name = 'python3'): void {
  const make = `mkdir -p "$4/bin"; printf '#!/bin/sh\\n${pip}\\n' > "$4/bin/python"; chmod +x "$4/bin/python"`;
  script(path.join(bin, name), `if [ "$3" = venv ]; then ${make}; fi`);
}

function environment(version = '1.2.3', withWheel = true): Environment {
  const wheels = path.join(root, 'server');
  if (withWheel) {
    mkdirSync(wheels, { recursive: true });
    writeFileSync(path.join(wheels, 'memory_ls-1.2.3-py3-none-any.whl'), '');
  }
  return new Environment(wheels, path.join(root, 'storage'), version, {
    searchPath: bin,
    log: (line) => log.push(line),
    whileShown: (work) => work(cancel.signal),
  });
}

function find(configured = '', searchPath = bin, own = environment()) {
  return findProgram(configured, searchPath, own);
}

async function trouble(promise: Promise<unknown>): Promise<Trouble> {
  const error = await promise.then(
    () => assert.fail('it worked'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Trouble, String(error));
  assert.doesNotMatch(error.message, /\n|Error:/);
  return error;
}

describe('a program that the settings name', () => {
  it('is taken, whatever the PATH has', async () => {
    script(path.join(bin, 'memory-ls'), 'exit 0');
    const own = path.join(root, 'own', 'memory-ls');
    script(own, 'exit 0');
    assert.equal((await find(own)).command, own);
  });

  for (const name of ['/no/where/memory-ls', 'memory-ls', '/tmp']) {
    it(`is told of when it is none: ${name}`, async () => {
      const { message, remedies } = await trouble(find(name));
      assert.ok(message.includes(`"${name}"`), message);
      assert.deepEqual(remedies, ['settings']);
    });
  }
});

describe('a memory-ls on the PATH', () => {
  it('is taken', async () => {
    script(path.join(bin, 'memory-ls'), 'exit 0');
    const { command, args } = await find('', ['/no/where', bin].join(path.delimiter));
    assert.deepEqual([command, ...args], [path.join(bin, 'memory-ls'), 'serve']);
  });

  it('is not looked for in places that depend on the current directory', async () => {
    script(path.join(bin, 'memory-ls'), 'exit 0');
    await trouble(find('', path.relative(process.cwd(), bin)));
  });

  it('must be a program', async () => {
    writeFileSync(path.join(bin, 'memory-ls'), '');
    await trouble(find());
  });
});

describe('an environment of its own', () => {
  it('is made once, and then taken as it is', async () => {
    python('echo "$@" >&2');
    const { command, args } = await find();
    assert.ok(command.startsWith(path.join(root, 'storage', '1.2.3-')), command);
    assert.deepEqual(args, ['-I', '-m', 'memory_ls', 'serve']);
    assert.ok(
      log.some((line) => /-m pip install .*memory_ls-1\.2\.3-py3-none-any\.whl$/.test(line)),
      log.join('\n'),
    );
    rmSync(path.join(bin, 'python3'));
    assert.equal((await find()).command, command);
  });

  it('takes the place of an older version', async () => {
    python('exit 0');
    await find('', bin, environment('1.2.2'));
    await find('', bin, environment('1.2.3'));
    const kept = readdirSync(path.join(root, 'storage'));
    assert.equal(kept.length, 2);
    assert.ok(
      kept.every((name) => name.startsWith('1.2.3')),
      kept.join(),
    );
  });

  it('is made anew when it is gone', async () => {
    python('exit 0');
    const first = await find();
    rmSync(path.dirname(path.dirname(first.command)), { recursive: true });
    const second = await find();
    assert.notEqual(second.command, first.command);
    assert.ok(existsSync(second.command));
  });

  it('takes the first Python that is new enough', async () => {
    script(path.join(bin, 'python3'), 'exit 1');
    python('exit 0', 'python3.12');
    await find();
    assert.ok(log.some((line) => line.endsWith('python3.12')));
  });

  it('needs a Python that is new enough', async () => {
    script(path.join(bin, 'python3'), 'exit 1');
    const { message, remedies } = await trouble(find());
    assert.match(message, /needs Python 3\.11 or newer/);
    assert.deepEqual(remedies, ['python', 'settings', 'again']);
  });

  it('needs a Python that can make environments', async () => {
    script(path.join(bin, 'python3'), 'if [ "$3" = venv ]; then echo no ensurepip >&2; exit 1; fi');
    const { message } = await trouble(find());
    assert.match(message, /python3-venv/);
    assert.ok(log.includes('no ensurepip'));
  });

  it('is not left half made when pip fails', async () => {
    python('echo no network >&2; exit 1');
    const { message } = await trouble(find());
    assert.match(message, /pip failed/);
    assert.ok(log.includes('no network'));
    assert.deepEqual(readdirSync(path.join(root, 'storage')), []);
  });

  it('is not made when the user cancels', async () => {
    python('exec sleep 60');
    setTimeout(() => cancel.abort(), 300);
    const { message } = await trouble(find());
    assert.match(message, /cancelled/);
    assert.deepEqual(readdirSync(path.join(root, 'storage')), []);
  });

  it('cannot be made where the extension carries no wheel', async () => {
    python('exit 0');
    const { message } = await trouble(find('', bin, environment('1.2.3', false)));
    assert.match(message, /install it so that it is on the PATH/);
  });
});
