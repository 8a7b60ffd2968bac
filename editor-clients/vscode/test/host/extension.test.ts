// The extension in the real VS Code with the real server, as a user has them.
import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import {
  elsewhere,
  found,
  makeFiles,
  memory,
  open,
  opened,
  project,
  said,
  saidOf,
  starts,
  TIDE_LINES,
  until,
  write,
} from './workspace';

const EXTENSION = 'memory-ls.memory-ls';
const tideFile = path.join(memory, 'tide-table.md');
const pilotFile = path.join(memory, 'harbour-pilot.md');
const indexFile = path.join(memory, 'MEMORY.md');
const readme = path.join(project, 'README.md');
const notes = path.join(project, 'notes', 'tides.md');

function rangeOf(text: string, line: number): vscode.Range {
  const start = TIDE_LINES[line]!.indexOf(text);
  return new vscode.Range(line, start, line, start + text.length);
}

function codeOf(code: vscode.Diagnostic['code']): unknown {
  return typeof code === 'object' ? code.value : code;
}

async function replaceLine(document: vscode.TextDocument, line: number, text: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, document.lineAt(line).range, text);
  assert.ok(await vscode.workspace.applyEdit(edit));
}

describe('where there is no memory directory', () => {
  it('a markdown file starts no server', async () => {
    write(readme, '# A project\n\n[[missing-pilot]]\n');
    await open(readme);
    await until('the extension is active', () => vscode.extensions.getExtension(EXTENSION)?.isActive);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    assert.deepEqual(said(), []);
  });
});

describe('a memory', () => {
  before(async () => {
    makeFiles();
    await open(notes);
    await open(tideFile);
    await until('the server answers', () => found(tideFile).length > 0);
  });

  it('has its findings exactly underlined, behind emoji and Chinese', () => {
    const [finding, ...others] = found(tideFile);
    assert.deepEqual(others, []);
    assert.deepEqual(finding!.range, rangeOf('missing-pilot', 6));
    assert.equal(finding!.severity, vscode.DiagnosticSeverity.Warning);
    assert.equal(finding!.source, 'memory-ls');
    assert.match(finding!.message, /missing-pilot/);
  });

  it('is all that the server is told of: no other markdown of the workspace', async () => {
    await vscode.commands.executeCommand(
      'vscode.executeHoverProvider',
      vscode.Uri.file(readme),
      new vscode.Position(2, 4),
    );
    await vscode.commands.executeCommand('vscode.executeDocumentSymbolProvider', vscode.Uri.file(notes));
    assert.deepEqual(opened(), [tideFile]); // and of that once
    const others = [readme, notes].map((file) => vscode.Uri.file(file).toString());
    const about = said().filter(({ params }) => others.includes(params?.textDocument?.uri));
    assert.deepEqual(about, []);
    assert.deepEqual(found(readme), []);
  });

  it('completes names behind [[', async () => {
    const document = await open(tideFile);
    await replaceLine(document, 9, '漢 [[harb');
    const list = await vscode.commands.executeCommand<vscode.CompletionList>(
      'vscode.executeCompletionItemProvider',
      document.uri,
      new vscode.Position(9, '漢 [[harb'.length),
      undefined,
      5,
    );
    const item = list.items.find(({ label }) => (typeof label === 'string' ? label : label.label) === 'harbour-pilot');
    assert.ok(item, 'the name is offered');
    assert.match((item.documentation as vscode.MarkdownString).value, /Steers by hand/);
    await replaceLine(document, 9, '');
  });

  it('shows the memory behind a link when hovered', async () => {
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
      'vscode.executeHoverProvider',
      vscode.Uri.file(tideFile),
      rangeOf('harbour', 8).start,
    );
    const texts = hovers.flatMap(({ contents }) => contents.map((part) => (part as vscode.MarkdownString).value));
    assert.ok(
      texts.some((text) => text.includes('Two pilots')),
      texts.join('\n'),
    );
  });

  it('is where the definition of a link leads', async () => {
    const places = await vscode.commands.executeCommand<(vscode.Location | vscode.LocationLink)[]>(
      'vscode.executeDefinitionProvider',
      vscode.Uri.file(tideFile),
      rangeOf('harbour', 8).start,
    );
    const files = places.map((place) => ('targetUri' in place ? place.targetUri : place.uri).fsPath);
    assert.deepEqual(files, [pilotFile]);
  });

  it('is found by what leads to it', async () => {
    const places = await vscode.commands.executeCommand<vscode.Location[]>(
      'vscode.executeReferenceProvider',
      vscode.Uri.file(pilotFile),
      new vscode.Position(1, 8),
    );
    const files = new Set(places.map(({ uri }) => uri.fsPath));
    assert.ok(files.has(tideFile) && files.has(indexFile), [...files].join());
  });

  it('has every mention of a name in it highlighted', async () => {
    const highlights = await vscode.commands.executeCommand<vscode.DocumentHighlight[]>(
      'vscode.executeDocumentHighlights',
      vscode.Uri.file(tideFile),
      rangeOf('harbour', 8).start,
    );
    assert.ok(highlights.some(({ range }) => range.start.line === 8));
  });

  it('is counted in a lens above its name, and a click on it shows what leads to it', async () => {
    const document = await open(pilotFile);
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      document.uri,
      100,
    );
    const [lens] = lenses.filter(({ command }) => /^\d+ references$/.test(command?.title ?? ''));
    assert.equal(lens?.range.start.line, 1);
    assert.equal(lens.command!.command, 'memoryLs.ui.showReferences');
    await vscode.commands.executeCommand(lens.command!.command, ...lens.command!.arguments!);
  });

  it('is described beside a bare link to it', async () => {
    const document = await open(path.join(memory, 'rota.md'));
    const hints = await vscode.commands.executeCommand<vscode.InlayHint[]>(
      'vscode.executeInlayHintProvider',
      document.uri,
      new vscode.Range(0, 0, document.lineCount, 0),
    );
    assert.deepEqual(
      hints.map(({ position, label }) => [position.line, label]),
      [[6, 'who steers']],
    );
  });

  it('is found by its name in the whole workspace, and has an outline', async () => {
    const symbols = await vscode.commands.executeCommand<vscode.SymbolInformation[]>(
      'vscode.executeWorkspaceSymbolProvider',
      'harbourpilot',
    );
    assert.ok(symbols.some(({ name, location }) => name === 'harbour-pilot' && location.uri.fsPath === pilotFile));
    const outline = await vscode.commands.executeCommand<vscode.DocumentSymbol[]>(
      'vscode.executeDocumentSymbolProvider',
      vscode.Uri.file(pilotFile),
    );
    assert.ok(
      outline.some(({ name }) => name === 'harbour-pilot'),
      outline.map(({ name }) => name).join(),
    );
  });

  it('has links that can be clicked', async () => {
    const links = await vscode.commands.executeCommand<vscode.DocumentLink[]>(
      'vscode.executeLinkProvider',
      vscode.Uri.file(tideFile),
    );
    const [link] = links.filter(({ range }) => range.start.line === 8);
    assert.equal(link?.target?.fsPath, pilotFile);
  });

  it('follows what happens on the disk, also where it is not open', async () => {
    const file = path.join(memory, 'buoys.md');
    write(file, '---\nname: buoys\ndescription: Where they lie\ntype: reference\n---\n\n[[no-such-buoy]]\n');
    await until('the new file has its finding', () => found(file).some(({ code }) => codeOf(code) === 'link-dead'));
    write(file, '---\nname: buoys\ndescription: Where they lie\ntype: reference\n---\n\n[[tide-table]]\n');
    await until('and loses it', () => !found(file).some(({ code }) => codeOf(code) === 'link-dead'));
    fs.rmSync(file);
    await until('and is gone', () => found(file).length === 0);
  });

  it('loses its finding when the link is mended', async () => {
    const document = await open(tideFile);
    await replaceLine(document, 6, '😀 é 漢 [[harbour-pilot]] 끝');
    await until('no findings', () => found(tideFile).length === 0);
  });

  it('is known by a name that is not saved yet', async () => {
    const pilot = await open(pilotFile);
    await replaceLine(pilot, 1, 'name: harbour-master');
    const tide = await open(tideFile);
    await replaceLine(tide, 6, '[[harbour-master]]');
    await replaceLine(tide, 8, '[[nobody]]');
    await until('only the dead link is found', () => found(tideFile).length === 1);
    assert.match(found(tideFile)[0]!.message, /nobody/);
  });
});

describe('the server', () => {
  it('starts with what the user has set, and without the defaults', () => {
    const [initialize] = saidOf('initialize');
    assert.deepEqual(initialize!.params.initializationOptions, {
      trusted: true,
      showReferences: true,
      tellChanges: true,
    });
    assert.match(initialize!.params.clientInfo.name, /^Visual Studio Code/);
  });

  it('is told of settings when they change', async () => {
    const configuration = vscode.workspace.getConfiguration('memoryLs');
    await configuration.update('staleDays', 90, vscode.ConfigurationTarget.Global);
    const last = () => saidOf('workspace/didChangeConfiguration').at(-1)!.params.settings.memoryLs;
    await until('the change is told', () => last().staleDays === 90);
    const { staleDays, ...others } = last();
    assert.equal(staleDays, 90);
    assert.ok(Object.keys(others).length > 20);
    assert.deepEqual(new Set(Object.values(others)), new Set([null]));
    await configuration.update('staleDays', undefined, vscode.ConfigurationTarget.Global);
    await until('and its end', () => last().staleDays === null);
  });

  it('does as the settings say, from the start and when they change', async () => {
    const configuration = vscode.workspace.getConfiguration('memoryLs');
    await open(tideFile);
    await until('there is a finding', () => found(tideFile).length === 1);
    await configuration.update('rules', { 'link-dead': 'off' }, vscode.ConfigurationTarget.Global);
    await until('it goes', () => found(tideFile).length === 0);
    await vscode.commands.executeCommand('memoryLs.ui.restartServer');
    await until('the server has started again', () => saidOf('initialize').length === 2);
    assert.deepEqual(saidOf('initialize')[1]!.params.initializationOptions.rules, { 'link-dead': 'off' });
    await configuration.update('rules', undefined, vscode.ConfigurationTarget.Global);
    await until('it comes back', () => found(tideFile).length === 1);
  });

  it('serves directories outside of the workspace too, and is the same one', async () => {
    const file = path.join(elsewhere, 'MEMORY.md');
    await open(file);
    await until('the dead entry is found', () => found(file).length === 1);
    assert.equal(found(file)[0]!.severity, vscode.DiagnosticSeverity.Error);
    assert.equal(starts().length, 2);
  });

  it('is told of an open file when its directory becomes a memory directory', async () => {
    await open(notes);
    assert.ok(!opened().includes(notes));
    write(path.join(project, 'notes', 'MEMORY.md'), '- [Tides](tides.md) — High and low\n');
    await until('the open file is checked', () => found(notes).length === 1);
  });

  it('is told of the opening of every file once, until it is closed', () => {
    const open = new Set<string>();
    for (const { method, params } of said()) {
      const uri = params?.textDocument?.uri as string;
      if (method === 'initialize') {
        open.clear();
      } else if (method === 'textDocument/didOpen') {
        assert.ok(!open.has(uri), uri);
        open.add(uri);
      } else if (method === 'textDocument/didClose') {
        assert.ok(open.delete(uri), uri);
      }
    }
  });

  it('comes back after a crash', async () => {
    process.kill(starts().at(-1)!, 'SIGKILL');
    await until('another start', () => starts().length === 3);
    const index = await open(indexFile);
    await replaceLine(index, 3, '- [Gone](gone.md) — away');
    await until('it finds the dead entry', () => found(indexFile).some(({ message }) => message.includes('gone.md')));
  });

  it('is restarted by the command', async () => {
    await vscode.commands.executeCommand('memoryLs.ui.restartServer');
    await until('one more start', () => starts().length === 4);
    await until('it finds the same', () => found(indexFile).some(({ message }) => message.includes('gone.md')));
  });
});

// What lenses, links and keys run.
const NOT_CHOSEN = ['showReferences', 'deleteMemory.selected', 'renameMemory.selected'].map(
  (name) => `memoryLs.ui.${name}`,
);

describe('the commands', () => {
  it('are there, and the log opens', async () => {
    const { commands } = vscode.extensions.getExtension('memory-ls.memory-ls')!.packageJSON.contributes;
    const contributed: string[] = commands.map(({ command }: { command: string }) => command);
    const registered = (await vscode.commands.getCommands(true)).filter((id) => id.startsWith('memoryLs.ui.'));
    assert.deepEqual(registered.filter((id) => !NOT_CHOSEN.includes(id)).sort(), contributed.sort());
    await vscode.commands.executeCommand('memoryLs.ui.showLog');
  });

  it('show references, given as the protocol has them', async () => {
    await open(tideFile);
    const range = { start: { line: 8, character: 2 }, end: { line: 8, character: 8 } };
    const uri = vscode.Uri.file(tideFile).toString();
    await vscode.commands.executeCommand('memoryLs.ui.showReferences', uri, range.start, [{ uri, range }]);
  });
});
