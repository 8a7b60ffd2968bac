// From a chat log to proposed memories, of a whole log or of a part. They are reviewed before anything is written.
import * as path from 'node:path';
import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';
import { Reading, chooseLog, ofFile, ofSelection } from './chat_logs';
import { executeShown } from './commands';
import { inform } from './messages';
import type { Scene } from './palette';
import { agreesToCost } from './prompts';
import { Report } from './report';
import { review } from './review';
import { inDirectory } from './targets';
import { plain } from './words';

/** "Consolidate Chat Log…" */
export async function consolidateChatLog(client: LanguageClient, scene: Scene): Promise<void> {
  const log = await chooseLog(client, scene, 'Consolidate Chat Log');
  if (log) {
    await consolidate(client, scene, { log });
  }
}

/** "Consolidate This File": the one that is chosen in the explorer, else the open one. */
export async function consolidateFile(client: LanguageClient, scene: Scene, chosen?: vscode.Uri): Promise<void> {
  const file = chosen ?? vscode.window.activeTextEditor?.document.uri;
  if (!file) {
    void inform('Open a chat log first, or choose “Consolidate Chat Log…”.');
  } else if (scene.directories.hold(file)) {
    void inform('This file is a memory, not a chat log.');
  } else {
    await consolidate(client, scene, { log: ofFile(client, file) });
  }
}

/** "Extract from Selection" */
export async function extractSelection(client: LanguageClient, scene: Scene): Promise<void> {
  const reading = ofSelection();
  if (reading) {
    await consolidate(client, scene, reading);
  } else {
    void inform('Select the part of a chat to look for memories in.');
  }
}

async function consolidate(client: LanguageClient, scene: Scene, reading: Reading): Promise<void> {
  const again = () => propose(client, scene, reading);
  const report = await again();
  if (report) {
    await review(client, scene, report, again);
  }
}

/** What a log is called, so that two that are read at once can be told apart. */
function nameOf({ log, minMessages }: Reading): string {
  const name = 'uri' in log ? path.posix.basename(vscode.Uri.parse(log.uri).path) : '';
  return plain(name) || (minMessages === undefined ? 'the chat log' : 'the selection');
}

/** What the server would make of a log; nothing when the user gives up. */
function propose(client: LanguageClient, scene: Scene, reading: Reading): Promise<Report | undefined> {
  return inDirectory('Memory Directory', async (where) =>
    (await agreesToCost(client, scene, { ...reading, ...where }))
      ? executeShown<Report>(client, `Looking for memories in ${nameOf(reading)}`, 'memoryLs.extractAndConsolidate', {
          ...reading,
          ...where,
          mode: 'preview',
        })
      : undefined,
  );
}
