// From a chat log to proposed memories, of a whole log or of a part. They are reviewed before anything is written.
import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';
import { Reading, Source, chooseLog, ofFile, ofSelection } from './chat_logs';
import { executeShown } from './commands';
import { inform } from './messages';
import type { Scene } from './palette';
import { agreesToCost } from './prompts';
import { Report } from './report';
import { review } from './review';
import { inDirectory } from './targets';

/** "Consolidate Chat Log…" */
export async function consolidateChatLog(client: LanguageClient, scene: Scene): Promise<void> {
  const source = await chooseLog(client, scene, 'Consolidate Chat Log');
  if (source) {
    await consolidate(client, scene, source);
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
    await consolidate(client, scene, ofFile(client, file));
  }
}

/** "Extract from Selection" */
export async function extractSelection(client: LanguageClient, scene: Scene): Promise<void> {
  const selected = ofSelection();
  if (selected) {
    await consolidate(client, scene, selected, selected.more);
  } else {
    void inform('Select the part of a chat to look for memories in.');
  }
}

/** How a log is to be read. */
type Way = Omit<Reading, 'log'>;

async function consolidate(client: LanguageClient, scene: Scene, source: Source, way: Way = {}): Promise<void> {
  const begun = Date.now();
  const again = () => propose(client, scene, source, way);
  const readAll = () => scene.overview.during(consolidate(client, scene, source, { ...way, fromStart: true }));
  const report = await again();
  if (report && way.minMessages && report.messages.total === 0) {
    void inform(
      'There is no message in what is selected. Select whole messages, with who said them, as they stand in the log.',
    );
  } else if (report) {
    await review(client, scene, report, { again, begun, ...(way.fromStart ? {} : { readAll }) });
  }
}

/** What the server would make of a log; nothing when the user gives up. */
function propose(client: LanguageClient, scene: Scene, source: Source, way: Way): Promise<Report | undefined> {
  const reading = { log: source.log, ...way };
  return inDirectory('Memory Directory', async (where) =>
    (await agreesToCost(client, scene, { ...reading, ...where }))
      ? executeShown<Report>(client, `Looking for memories in ${source.name}`, 'memoryLs.extractAndConsolidate', {
          ...reading,
          ...where,
          mode: 'preview',
        })
      : undefined,
  );
}
