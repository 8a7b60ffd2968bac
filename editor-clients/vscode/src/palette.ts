// The commands of the palette that ask the server: what runs each, with one sentence for whatever goes wrong.
import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';
import { tellError } from './commands';
import { consolidateChatLog, consolidateFile, extractSelection } from './consolidate';
import { Directories } from './directories';
import { history } from './history';
import { renameMemory, showChange } from './memory_actions';
import { Overview } from './overview';
import { Pages } from './pages';
import { PlanView } from './plan_view';
import { showPrompt } from './prompts';
import { applyReview, discardReview, reviewPlans, showReviewSummary } from './review';
import { Reviews } from './reviews';
import { Server } from './server';
import { undo } from './undo';

/** What commands work with, beside the server. */
export interface Scene {
  readonly context: vscode.ExtensionContext;
  readonly directories: Directories;
  readonly view: PlanView;
  /** Fires when a command has ended, which may have changed memories. */
  readonly changed: vscode.EventEmitter<void>;
  readonly overview: Overview;
  readonly reviews: Reviews;
  readonly pages: Pages;
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
  undoChange: (client, _, { journalId, directory }) => undo(client, { journalId, directory }),
  showChange: (client, { view }, change) => showChange(client, view, change),
  renameMemory: (_, __, memory) => renameMemory(memory),
};

/** Runs a command. Where the server can't be had, that has been told. */
export async function run(name: string, server: Server, scene: Scene, given: unknown[]): Promise<void> {
  const client = await server.running();
  const command = COMMANDS[name];
  if (client && command) {
    await scene.overview.during(command(client, scene, ...given).catch(tellError));
    scene.changed.fire();
  }
}
