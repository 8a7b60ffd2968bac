// The commands of the palette that ask the server: what runs each, with one sentence for whatever goes wrong.
import type { Memento } from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';
import { ApiKey } from './api_key';
import { Findings, checkAll } from './check';
import { tellError } from './commands';
import { consolidateChatLog, consolidateFile, extractSelection } from './consolidate';
import { Directories } from './directories';
import { EditorModel } from './editor_model';
import { history } from './history';
import { showInjection } from './injection';
import { clear, deleteMemory, newMemory, showMemory } from './memories';
import { renameMemory, showChange, undoChange } from './memory_actions';
import { Overview } from './overview';
import { Pages } from './pages';
import { newDirectory, openDirectory } from './places';
import { PlanView } from './plan_view';
import { showPrompt } from './prompts';
import { selectProvider, settleModel } from './provider';
import { applyReview, discardReview, reviewPlans, showReviewSummary } from './review';
import { Reviews } from './reviews';
import { isUnsaved, offerSave } from './saving';
import { Server } from './server';
import { undo } from './undo';
import { markStale, organiseIndex, rebuildIndex } from './upkeep';

/** What commands work with, beside the server. */
export interface Scene {
  readonly directories: Directories;
  readonly view: PlanView;
  readonly server: Server;
  readonly findings: Findings;
  readonly key: ApiKey;
  readonly model: EditorModel;
  readonly overview: Overview;
  readonly reviews: Reviews;
  readonly pages: Pages;
  /** What is remembered of this workspace. */
  readonly memento: Memento;
}

/** A command; `given` is what it is called with where it is not chosen from the palette. */
type Command = (client: LanguageClient, scene: Scene, ...given: any[]) => Promise<void>;

/** By the last part of their names. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  consolidateChatLog,
  consolidateFile,
  extractSelection,
  showPrompt,
  history,
  reviewPlans,
  applyReview,
  discardReview,
  showReviewSummary,
  openChange: (client, { reviews }, meant) => reviews.openChange(client, meant),
  undo: (client) => undo(client),
  newMemory,
  showMemory: (client, _, meant) => showMemory(client, meant),
  deleteMemory: (client, _, meant) => deleteMemory(client, meant),
  clear,
  checkAll,
  organiseIndex,
  rebuildIndex,
  markStale,
  showInjection,
  newDirectory,
  openDirectory,
  selectProvider,
  undoChange: (client, { overview }, change) => undoChange(client, overview, change),
  showChange: (client, { view }, change) => showChange(client, view, change),
  renameMemory: (client, _, memory) => renameMemory(client, memory),
};

/** Those that may have a language model read a chat log. */
const ASK_MODEL = ['consolidateChatLog', 'consolidateFile', 'extractSelection'];

/** Runs a command. Where the server can't be had, that has been told. */
export async function run(name: string, server: Server, scene: Scene, given: unknown[]): Promise<void> {
  const command = COMMANDS[name];
  try {
    const client = ASK_MODEL.includes(name) ? await withModel(server, scene.model) : await server.running();
    if (client && command) {
      await scene.overview.during(command(client, scene, ...given));
    }
  } catch (error) {
    if (isUnsaved(error)) {
      void offerSave(error, scene.directories, () => run(name, server, scene, given));
    } else {
      tellError(error);
    }
  }
}

/** The client, after the user has said whether VS Code's model may be asked; nothing where they want to stop. */
async function withModel(server: Server, model: EditorModel): Promise<LanguageClient | undefined> {
  const client = await server.running();
  const answer = client && (await settleModel(client, model));
  if (answer) {
    await server.restart();
    return server.running();
  }
  return answer === undefined ? undefined : client;
}
