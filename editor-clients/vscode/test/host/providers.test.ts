// Who extracts and consolidates: chosen, given its key, and asked, in the real VS Code with a language model of ours.
import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { answer, change, command, dialog, fill, key, press, read, row, state } from './hand';
import { chat, discard, setProvider } from './reviewing';
import { click, found, makeFiles, memory, open, project, said, saidOf, starts, until, write } from './workspace';

const SECRET = 'sk-ant-' + 'harbour'.repeat(4);
const SPOKEN = 'Always ring the bell twice before the lock opens.';
const settings = () => vscode.workspace.getConfiguration('memoryLs');

/** What the model is asked, and what it says; an error where it can't. */
const asked: string[] = [];
let says: (prompt: string) => Promise<string>;

// The types of the oldest VS Code that is supported know of no such offers yet.
const INFORMATION = {
  id: 'pilot-1',
  name: 'Pilot One',
  family: 'pilot',
  version: '1',
  maxInputTokens: 100_000,
  maxOutputTokens: 4_000,
  capabilities: {},
};

async function offerModel(): Promise<vscode.Disposable> {
  const runner = vscode.extensions.getExtension('memory-ls.runner')!;
  const { offerModel } = await runner.activate();
  const offer: vscode.Disposable = offerModel({
    provideLanguageModelChatInformation: () => [INFORMATION],
    provideTokenCount: () => 1,
    provideLanguageModelChatResponse: async (_: unknown, messages: any[], __: unknown, progress: any, token: any) => {
      const prompt = messages.flatMap(({ content }) => content.map((part: any) => part.value)).join('\n');
      asked.push(prompt);
      token.onCancellationRequested(() => asked.push('cancelled'));
      progress.report(new (vscode as any).LanguageModelTextPart(await says(prompt)));
    },
  });
  await until('the model is there', async () => (await vscode.lm.selectChatModels({ vendor: 'harbour' })).length > 0);
  return offer;
}

/** The model finds what was spoken, and would add it. */
async function findsIt(prompt: string): Promise<string> {
  const candidate = {
    type: 'feedback',
    name: 'ring-the-bell',
    description: 'Ring the bell twice',
    content: 'Ring the bell twice before the lock opens.',
    evidence: [{ message: 1, quote: SPOKEN }],
    confidence: 0.9,
  };
  return prompt.includes('"operations"')
    ? JSON.stringify({ operations: [{ candidate: 1, action: 'add', target: null, entry: candidate, reason: 'new' }] })
    : JSON.stringify({ candidates: [candidate] });
}

async function openChat(...orders: string[]): Promise<void> {
  const file = path.join(project, 'chat.jsonl');
  write(file, chat(...orders));
  await open(file);
}

/** Sets how much goes into the log of the extension. */
async function setLogLevel(level: string): Promise<void> {
  const done = vscode.commands.executeCommand('workbench.action.setLogLevel');
  await click(row('Memory'));
  await click(row(level));
  await done;
}

/** All that the extension has logged. */
function logged(): string {
  const logs = fs.readdirSync(path.join(project, '..', 'state'), { recursive: true, encoding: 'utf8' });
  const own = logs.filter((name) => name.endsWith(path.join('memory-ls.memory-ls', 'Memory.log')));
  return own.map((name) => fs.readFileSync(path.join(project, '..', 'state', name), 'utf8')).join('');
}

const toldAtStart = () => saidOf('initialize').at(-1)!.params.initializationOptions;

describe('the provider', () => {
  let offer: vscode.Disposable | undefined;

  before(async () => {
    makeFiles();
    const tide = path.join(memory, 'tide-table.md');
    await open(tide);
    await until('the server answers', () => found(tide).length > 0);
  });

  beforeEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.commands.executeCommand('notifications.clearAll');
    asked.length = 0;
    says = findsIt;
  });

  afterEach(() => offer?.dispose());

  it('is told with what it does, what it lacks, and which one auto takes', async () => {
    const done = command('selectProvider');
    assert.match(await click(row('auto'), 'look'), /chosen · now offline/);
    assert.match(await click(row('anthropic'), 'look'), /no API key yet/);
    assert.match(await click(row('command'), 'look'), /no program named yet/);
    assert.match(await click(row('editor'), 'look'), /no language model here/);
    await click(row('editor'));
    await done;
    assert.match(await read('VS Code has no language model'), /Copilot/);
    assert.equal(settings().inspect('provider')?.globalValue, undefined);
  });

  it('may be a program, which is asked for', async () => {
    const done = command('selectProvider');
    await click(row('command'));
    await click(row('claude'));
    await done;
    assert.deepEqual(settings().get('command'), ['claude']);
    assert.equal(settings().get('provider'), 'command');
    await read('Chat logs are read by the provider command from now on.');
    const back = command('selectProvider');
    await click(row('auto'));
    await back;
    assert.equal(settings().get('provider'), 'auto');
    await settings().update('command', undefined, vscode.ConfigurationTarget.Global);
  });

  it('is not chosen before its program is named', async () => {
    const done = command('selectProvider');
    await click(row('command'));
    await click(row('Another program'));
    await done;
    await read('Name the program in the setting memoryLs.command');
    await click('.settings-editor .setting-item-contents:has-text("The program, and its arguments")', 'look');
    assert.equal(settings().get('provider'), 'auto');
  });

  it('gets its key from the secret storage, which nothing else shows', async () => {
    await settings().update('trace.server', 'verbose', vscode.ConfigurationTarget.Global);
    await setLogLevel('Trace');
    const done = command('selectProvider');
    await click(row('anthropic'));
    await fill('Set API Key', SECRET);
    assert.equal(await click('.quick-input-widget input[type="password"]', 'look'), '');
    await key('Enter');
    await done;
    await until('the server is told', () => toldAtStart().apiKeys?.anthropic === SECRET);
    assert.equal(settings().get('provider'), 'anthropic');
    assert.ok(!JSON.stringify(settings()).includes(SECRET));
    await read('The API key is kept');
    const again = command('selectProvider');
    assert.match(await click(row('auto'), 'look'), /now anthropic/);
    await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
    await again;
    await until('what was said stands in the log', () => logged().includes('[REDACTED]'));
    assert.ok(!logged().includes(SECRET));
    await setLogLevel('Info');
    await settings().update('trace.server', undefined, vscode.ConfigurationTarget.Global);
  });

  it('that can not be reached is told in a sentence, with a way out', async () => {
    await settings().update('baseUrl', 'http://127.0.0.1:9', vscode.ConfigurationTarget.Global);
    await settings().update('timeoutSeconds', 20, vscode.ConfigurationTarget.Global);
    await openChat(SPOKEN, 'Never ring it at night.');
    const done = command('consolidateChatLog');
    await click(row('This file'));
    assert.doesNotMatch(await read("can't be reached"), /Error|Traceback/);
    await done;
    await press('Select Provider');
    await click(row('offline'));
    await until('it is chosen', () => settings().get('provider') === 'offline');
    await settings().update('baseUrl', undefined, vscode.ConfigurationTarget.Global);
    await settings().update('timeoutSeconds', undefined, vscode.ConfigurationTarget.Global);
  });

  it('loses its key when the user gives none and says so', async () => {
    const kept = command('setApiKey');
    await fill('Set API Key', '');
    await key('Enter');
    assert.match(await dialog(), /Remove the API key/);
    await answer('Cancel');
    await kept;
    const starts_ = starts().length;
    const done = command('setApiKey');
    await fill('Set API Key', '');
    await key('Enter');
    await answer('Remove');
    await done;
    await until('the server is told', () => starts().length > starts_ && toldAtStart().apiKeys === undefined);
  });

  it('auto asks once whether a language model of VS Code may be asked', async () => {
    await settings().update('provider', undefined, vscode.ConfigurationTarget.Global);
    offer = await offerModel();
    await openChat(SPOKEN, 'Never ring it at night.');
    const left = command('consolidateChatLog');
    const words = await dialog();
    assert.match(words, /May Memory ask the language model Pilot One of harbour\?/);
    assert.match(words, /secrets replaced by \[REDACTED\]/);
    await answer('Cancel');
    await left;
    assert.equal(toldAtStart().complete, undefined);

    const done = command('consolidateChatLog');
    await answer('Allow');
    await click(row('This file'));
    await click(change('ring-the-bell'), 'look');
    assert.equal(toldAtStart().complete, true);
    assert.ok(asked[0]?.includes(SPOKEN));
    await done;
    await discard('ring-the-bell');

    await openChat(SPOKEN, 'Never paint it red.');
    const again = command('consolidateChatLog');
    await click(row('This file')); // and no question before
    await again;
    await discard('ring-the-bell');
  });

  it('of VS Code is told of in a sentence when it does not answer', async () => {
    offer = await offerModel();
    for (const [error, sentence] of [
      [vscode.LanguageModelError.Blocked(), 'Pilot One is blocked for Memory at the moment'],
      [vscode.LanguageModelError.NotFound(), 'Pilot One is no longer there'],
      [vscode.LanguageModelError.NoPermissions(), 'VS Code has not given Memory access to Pilot One'],
      [new Error('quota exceeded'), 'Pilot One is used up for now'],
    ] as const) {
      says = () => Promise.reject(error);
      await openChat(SPOKEN, `Never ring it when ${sentence.length} boats wait.`);
      const done = command('consolidateChatLog');
      await click(row('This file'));
      await read(sentence);
      await done;
      await vscode.commands.executeCommand('notifications.clearAll');
    }
  });

  it('of VS Code is no longer asked when the user gives up', async () => {
    offer = await offerModel();
    says = () => new Promise(() => undefined);
    await openChat(SPOKEN, 'Never ring it in the fog.');
    const done = command('consolidateChatLog');
    await click(row('This file'));
    await until('it is asked', () => asked.length > 0);
    await press('Cancel');
    await done;
    await until('it is told to stop', () => asked.includes('cancelled'));
  });

  it('of VS Code that the setting names and that is not there is told of', async () => {
    offer = await offerModel();
    await settings().update('model', 'no-such-model', vscode.ConfigurationTarget.Global);
    await openChat(SPOKEN, 'Never ring it in a storm.');
    const done = command('consolidateChatLog');
    await click(row('This file'));
    await read('VS Code has no language model “no-such-model”');
    await done;
    await settings().update('model', undefined, vscode.ConfigurationTarget.Global);
  });

  it('is asked often only by who has agreed to it', async () => {
    // That every prompt comes to a model is seen by what it writes down.
    const sent = path.join(project, 'sent.txt');
    await setProvider(`cat >> '${sent}'; echo '{"candidates": []}'`);
    const orders = Array.from({ length: 600 }, (_, at) => `Always moor boat ${at} ${'with two ropes '.repeat(20)}.`);
    await openChat(...orders);
    const log = vscode.window.activeTextEditor!.document.uri;
    for (const button of ['Cancel', 'Show What Would Be Sent']) {
      const done = command('consolidateFile', log);
      assert.match(await dialog(), /The provider command would be called about \d+ times, with [\d,]+ tokens sent/);
      await answer(button);
      await done;
      assert.ok(!fs.existsSync(sent), 'nothing is sent');
    }
    await click('.tab.active:has-text("What Would Be Sent")', 'look');
    const done = command('consolidateFile', log);
    await answer('Go On');
    await read('Nothing was found');
    await done;
    assert.ok(fs.readFileSync(sent, 'utf8').includes('Always moor boat 599'));
    await setProvider(undefined);
  });

  it('never writes a key down', () => {
    const words = said().filter(({ method }) => method !== 'initialize');
    assert.ok(!JSON.stringify(words).includes(SECRET));
    assert.ok(!JSON.stringify(state()).includes(SECRET));
  });
});
