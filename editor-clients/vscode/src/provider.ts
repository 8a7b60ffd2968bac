// "Select Provider": who extracts and consolidates memories; and the question whether VS Code's own model may be asked.
import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';
import { execute } from './commands';
import { EditorModel, isThere, whyNoModel } from './editor_model';
import { inform, warn } from './messages';
import { Provider, Status } from './overview';
import type { Scene } from './palette';
import { SECTION, openMachineSetting } from './settings';

const WHAT: Record<Provider, string> = {
  auto: 'The first of the others that is configured.',
  anthropic: 'Claude through Anthropic’s API, or a server with the same API.',
  command: 'A program on this machine, such as the command line of an agent that you have a subscription for.',
  editor: 'A language model of VS Code, such as GitHub Copilot’s.',
  offline: 'Rules on this machine. They find what is stated outright, and send nothing.',
};

export async function selectProvider(client: LanguageClient, scene: Scene): Promise<void> {
  const status = await execute<Status>(client, 'memoryLs.status');
  const models = await scene.model.models();
  const missing = whatIsMissing(status, models);
  const items = (Object.keys(WHAT) as Provider[]).map((provider) => ({
    label: provider,
    description: [
      provider === given() ? '$(check) chosen' : '',
      provider === 'auto' ? `now ${status.trusted ? status.configured[0] : 'offline'}` : (missing[provider] ?? ''),
    ]
      .filter(Boolean)
      .join(' · '),
    detail: WHAT[provider],
    provider,
  }));
  const placeHolder = status.trusted
    ? 'Who is to look for memories in chat logs?'
    : 'Only offline works until you trust this workspace. Who is to look for memories then?';
  const chosen = await vscode.window.showQuickPick(items, { title: 'Select Provider', placeHolder });
  if (chosen && (await prepare(chosen.provider, missing, scene, models))) {
    await write('provider', chosen.provider);
    if (chosen.provider === 'editor') {
      await scene.server.restart(); // it is told at its start that there is a model to ask
    }
    tell(chosen.provider, status);
  }
}

/** What keeps a provider from working, in a few words. */
function whatIsMissing(status: Status, models: readonly unknown[]): Partial<Record<Provider, string>> {
  const has = (provider: Provider) => status.configured.includes(provider);
  return {
    ...(has('anthropic') ? {} : { anthropic: 'no API key yet' }),
    ...(has('command') ? {} : { command: 'no program named yet' }),
    ...(models.length > 0 ? {} : { editor: 'no language model here' }),
  };
}

/** Asks for what a provider needs. Tells whether it can be chosen. */
async function prepare(
  provider: Provider,
  missing: Partial<Record<Provider, string>>,
  { key, model }: Scene,
  models: readonly unknown[],
): Promise<boolean> {
  switch (provider) {
    case 'anthropic':
      return !missing.anthropic || key.ask();
    case 'command':
      return !missing.command || askForCommand();
    case 'editor':
      if (models.length === 0) {
        void warn(isThere() ? whyNoModel() : 'This editor has no language models.');
        return false;
      }
      return (await model.askToAllow()) === true;
    default:
      return true;
  }
}

const AGENTS = [
  { label: 'claude', detail: 'Claude Code' },
  { label: 'codex', detail: 'Codex CLI' },
  { label: 'gemini', detail: 'Gemini CLI' },
];

/** The agents whose name is enough; any other program is for the settings, since it has arguments. */
async function askForCommand(): Promise<boolean> {
  const other = { label: 'Another program…', detail: 'To be named in the setting memoryLs.command.' };
  const chosen = await vscode.window.showQuickPick([...AGENTS, other], {
    title: 'Select Provider',
    placeHolder: 'Which program answers a prompt? It must be installed.',
  });
  if (chosen === other) {
    await openMachineSetting('command');
    void inform(
      'Name the program in the setting memoryLs.command, with an item for each argument. Then select the provider command again.',
    );
    return false;
  }
  if (chosen) {
    await write('command', [chosen.label]);
  }
  return chosen !== undefined;
}

function given(): Provider {
  return vscode.workspace.getConfiguration(SECTION).get<Provider>('provider', 'auto');
}

/** In the workspace's settings where these say it already: they win over the user's. */
async function write(key: string, value: unknown): Promise<void> {
  const configuration = vscode.workspace.getConfiguration(SECTION);
  const isOfWorkspace = configuration.inspect(key)?.workspaceValue !== undefined;
  const target = isOfWorkspace ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
  await configuration.update(key, value, target);
}

function tell(provider: Provider, { trusted }: Status): void {
  const later = trusted || provider === 'offline' ? '' : ' In a workspace that you do not trust it stays offline.';
  void inform(`Chat logs are read by the provider ${provider} from now on.${later}`);
}

// ---- the question that `auto` asks once

/**
 * Asks, before a chat log is read, whether the model of VS Code may be asked: where nothing else is configured and the
 * question is open. Tells whether the server has to start anew, or nothing when the user wants to stop.
 */
export async function settleModel(client: LanguageClient, model: EditorModel): Promise<boolean | undefined> {
  const { trusted, configured, provider } = await execute<Status>(client, 'memoryLs.status');
  const isNext = given() === 'editor' || (given() === 'auto' && provider === 'offline' && configured.length === 1);
  if (!trusted || !isNext || !model.isUndecided() || (await model.models()).length === 0) {
    return false;
  }
  return model.askToAllow();
}
