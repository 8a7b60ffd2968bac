// What a language model would be sent of a chat log, and about what that costs: to look at, and to agree to.
import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';
import { Reading, chooseLog, ofSelection } from './chat_logs';
import { execute, executeShown } from './commands';
import { inform } from './messages';
import { Status } from './overview';
import type { Scene } from './palette';
import { inDirectory } from './targets';

interface Prompts {
  readonly provider: string;
  readonly prompts: readonly string[];
  readonly estimate: { readonly calls: number; readonly inputTokens: number; readonly outputTokens: number };
}

/** "Show What Would Be Sent": of what is selected, else of the log that the user chooses. */
export async function showPrompt(client: LanguageClient, scene: Scene): Promise<void> {
  const selected = ofSelection();
  const source = selected ?? (await chooseLog(client, scene, TITLE));
  const reading = source && { log: source.log, ...selected?.more };
  const prompts = reading && (await inDirectory(TITLE, (where) => promptsOf(client, { ...reading, ...where })));
  if (prompts) {
    await showPrompts(scene, prompts);
  }
}

/** Asks before a model is called more than a few times. Answers whether to go on. */
export async function agreesToCost(client: LanguageClient, scene: Scene, reading: Reading): Promise<boolean> {
  const { provider } = await execute<Status>(client, 'memoryLs.status');
  if (provider === OFFLINE) {
    return true;
  }
  const prompts = await promptsOf(client, reading);
  if (!prompts || prompts.estimate.calls <= FEW) {
    return prompts !== undefined;
  }
  const words = `This chat log is long. ${costOf(prompts)}`;
  const chosen = await inform(words, { modal: true }, GO_ON, TITLE);
  if (chosen === TITLE) {
    await showPrompts(scene, prompts);
  }
  return chosen === GO_ON;
}

function promptsOf(client: LanguageClient, reading: Reading): Thenable<Prompts | undefined> {
  return executeShown<Prompts>(client, 'Reading the chat log', 'memoryLs.prompts', reading);
}

async function showPrompts({ pages }: Scene, asked: Prompts): Promise<void> {
  const { provider, prompts } = asked;
  if (prompts.length === 0) {
    const words =
      provider === OFFLINE
        ? 'Nothing would be sent: the provider is offline, which uses no language model.'
        : 'Nothing would be sent: too little of this chat log is new.';
    void inform(words);
    return;
  }
  const parts = prompts.map((prompt, at) => `\n# Prompt ${at + 1} of ${prompts.length}\n\n${prompt}\n`);
  await pages.show('What Would Be Sent', [`${costOf(asked)}\n`, ...parts]);
}

/** About what it takes. Deciding on what was found comes on top, and is not known before. */
function costOf({ provider, estimate }: Prompts): string {
  const [calls, sent, received] = [estimate.calls, estimate.inputTokens, estimate.outputTokens].map((number) =>
    number.toLocaleString(vscode.env.language),
  );
  const times = estimate.calls === 1 ? 'once' : `${calls} times`;
  return `The provider ${provider} would be called about ${times}, with ${sent} tokens sent and at most ${received} received.`;
}

const OFFLINE = 'offline';
/** So many calls are not worth a question. */
const FEW = 3;
const GO_ON = 'Go On';
/** Of the command, and of the button that does the same. */
const TITLE = 'Show What Would Be Sent';
