// The extension: looks whether there is a memory directory, and if so starts the server for it.
import * as vscode from 'vscode';
import { ApiKey } from './api_key';
import { Findings } from './check';
import { Directories } from './directories';
import { INDEX_NAME } from './discover';
import { EditorModel } from './editor_model';
import { Environment } from './environment';
import { MemoriesView } from './memories_view';
import { inform } from './messages';
import { Overview } from './overview';
import { COMMANDS, run } from './palette';
import { Pages } from './pages';
import { PlanView } from './plan_view';
import { findProgram } from './program';
import { showReferences } from './references';
import { Reviews } from './reviews';
import { Server } from './server';
import { SECTION, givenSettings, serverKeys, serverPath } from './settings';
import { showStatus } from './status';

let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('Memory', { log: true });
  const searchPath = process.env['PATH'] ?? '';
  const environment = new Environment(
    context.asAbsolutePath('server'),
    context.globalStorageUri.fsPath,
    context.extension.packageJSON.version,
    { searchPath, log: (line) => log.info(line), whileShown },
  );
  const keys = serverKeys(context.extension);
  const directories = new Directories();
  const key = new ApiKey(context.secrets);
  const model = new EditorModel(context.globalState);
  const life = new Server({
    log,
    findProgram: () => findProgram(serverPath(), searchPath, environment),
    settings: (all) => givenSettings(keys, all),
    belongs: (file) => directories.hold(file),
    options: async () => ({ ...(await key.options()), ...model.options() }),
    complete: (question, token) => model.complete(question, token),
  });
  server = life;
  const overview = new Overview(life);
  const status = showStatus(life, overview, () => directories.known);

  const begin = () => {
    status.update();
    return life.start();
  };
  const look = async () => {
    if (await directories.look()) {
      await begin();
    }
  };
  const lookAt = async (file: vscode.Uri) => {
    if (directories.hold(file)) {
      await begin();
    }
  };
  const view = new PlanView();
  const memento = context.workspaceState;
  const reviews = new Reviews(life, overview, view, memento);
  const pages = new Pages();
  const findings = new Findings();
  const scene = { directories, view, overview, reviews, pages, findings, server: life, key, model, memento };
  const index = vscode.workspace.createFileSystemWatcher(`**/${INDEX_NAME}`, false, true, true);
  context.subscriptions.push(
    log,
    life,
    overview,
    status,
    new MemoriesView(life, overview, memento),
    view,
    reviews,
    pages,
    findings,
    key.onDidChange(() => life.condition !== 'stopped' && life.restart()),
    index,
    index.onDidCreate(lookAt),
    vscode.workspace.onDidOpenTextDocument(({ uri }) => lookAt(uri)),
    vscode.workspace.onDidChangeWorkspaceFolders(look),
    vscode.workspace.onDidGrantWorkspaceTrust(() => life.condition !== 'stopped' && life.restart()),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration(`${SECTION}.server.path`) && life.condition !== 'stopped') {
        await life.restart();
      } else if (event.affectsConfiguration(SECTION)) {
        await look();
      }
    }),
    vscode.commands.registerCommand('memoryLs.ui.restartServer', async () => {
      await life.restart();
      if (life.condition === 'running') {
        void inform('The memory-ls server was restarted.');
      }
    }),
    vscode.commands.registerCommand('memoryLs.ui.showLog', () => log.show()),
    vscode.commands.registerCommand('memoryLs.ui.setApiKey', () => key.ask()),
    ...Object.keys(COMMANDS).map((name) =>
      vscode.commands.registerCommand(`memoryLs.ui.${name}`, (...given) => run(name, life, scene, given)),
    ),
    vscode.commands.registerCommand('memoryLs.ui.showReferences', showReferences),
  );
  // Not awaited: VS Code need not wait for a server, or for Python packages.
  void look();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}

function whileShown(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: 'Setting up the memory-ls server (once; needs the network)',
    cancellable: true,
  };
  return Promise.resolve(
    vscode.window.withProgress(options, (_, token) => {
      const abort = new AbortController();
      token.onCancellationRequested(() => abort.abort());
      return work(abort.signal);
    }),
  );
}
