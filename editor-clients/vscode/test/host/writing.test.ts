// What changes memory files, in the real VS Code: quick fixes, moves in the explorer, and undo. A person's rename is in the walk.
import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { found, makeFiles, memory, open, project, said, until, write } from './workspace';

const tideFile = path.join(memory, 'tide-table.md');
const pilotFile = path.join(memory, 'harbour-pilot.md');
const indexFile = path.join(memory, 'MEMORY.md');

function textOf(file: string): string {
  const open = vscode.workspace.textDocuments.find(({ uri }) => uri.fsPath === file);
  return open ? open.getText() : fs.readFileSync(file, 'utf8');
}

/** Every markdown file of the memory directory, as the editor has it: what is not saved yet counts. */
function state(): Record<string, string> {
  const names = fs.readdirSync(memory).filter((name) => name.endsWith('.md'));
  return Object.fromEntries(names.map((name) => [name, textOf(path.join(memory, name))]));
}

function positionOf(document: vscode.TextDocument, text: string): vscode.Position {
  const at = document.getText().indexOf(text);
  assert.ok(at >= 0, `${text} is in ${document.uri.fsPath}`);
  return document.positionAt(at);
}

async function actionsAt(document: vscode.TextDocument, text: string, kind?: string): Promise<vscode.CodeAction[]> {
  const start = positionOf(document, text);
  return vscode.commands.executeCommand<vscode.CodeAction[]>(
    'vscode.executeCodeActionProvider',
    document.uri,
    new vscode.Range(start, start),
    kind,
    20,
  );
}

async function choose(actions: vscode.CodeAction[], title: RegExp): Promise<void> {
  const action = actions.find((each) => title.test(each.title));
  assert.ok(action, `${title} among ${actions.map((each) => each.title).join(' | ')}`);
  assert.ok(action.edit, `${action.title} has an edit`);
  assert.ok(await vscode.workspace.applyEdit(action.edit, { isRefactoring: true }));
}

function isDead(file: string): boolean {
  return found(file).some(({ code }) => (typeof code === 'object' ? code.value : code) === 'link-dead');
}

/** Saves every document of the project, also those that no editor shows. VS Code has some of its own, as its settings. */
async function saveAll(): Promise<void> {
  for (const document of vscode.workspace.textDocuments) {
    if (document.isDirty && document.uri.fsPath.startsWith(project)) {
      assert.ok(await document.save(), `${document.uri.fsPath} is saved`);
    }
  }
}

describe('a memory that is changed', () => {
  let was: Record<string, string>;

  before(async () => {
    makeFiles();
    await open(tideFile);
    await until('the server answers', () => found(tideFile).length > 0);
  });

  beforeEach(async () => {
    await saveAll();
    was = state();
  });

  it('is not renamed to what can be no name, and the user is told why', async () => {
    const document = await open(pilotFile);
    const where = positionOf(document, 'harbour-pilot');
    for (const name of ['', 'a/b', '../up', 'tide-table']) {
      await assert.rejects(async () => {
        await vscode.commands.executeCommand('vscode.executeDocumentRenameProvider', document.uri, where, name);
      }, `${name} is refused`);
    }
    assert.deepEqual(state(), was);
  });

  it('offers to mend a dead link', async () => {
    write(
      path.join(memory, 'shift.md'),
      '---\nname: shift\ndescription: d\ntype: user\n---\n\nSee [[harbor-pilot]].\n',
    );
    const document = await open(path.join(memory, 'shift.md'));
    await until('the dead link is found', () => isDead(document.uri.fsPath));
    const actions = await actionsAt(document, 'harbor-pilot');
    assert.ok(actions.some((each) => each.isPreferred));
    await choose(actions, /harbour-pilot/);
    assert.ok(document.getText().includes('[[harbour-pilot]]'));
    await until('the finding is gone', () => !isDead(document.uri.fsPath));
    await vscode.commands.executeCommand('undo');
    await until('undo brings it back', () => isDead(document.uri.fsPath));
    await vscode.commands.executeCommand('redo');
    await until('and redo takes it away', () => !isDead(document.uri.fsPath));
  });

  it('offers to write the memory that a dead link names', async () => {
    const document = await open(tideFile);
    await choose(await actionsAt(document, 'missing-pilot'), /missing-pilot/);
    const made = path.join(memory, 'missing-pilot.md');
    await saveAll();
    await until('the file is there', () => fs.existsSync(made));
    assert.match(fs.readFileSync(made, 'utf8'), /^---\nname: missing-pilot\n/);
    await until('the link is alive', () => !found(tideFile).some(({ message }) => message.includes('missing-pilot')));
  });

  it('has all that is safe mended when it is saved, where the user wants that', async () => {
    const file = path.join(memory, 'gate.md');
    write(file, '---\nname: gate\ndescription: When: it is high\ntype: project\n---\n\nOpens.\n');
    const document = await open(file);
    await until('it does not parse', () => found(file).length > 0);
    const actions = await actionsAt(document, 'Opens', 'source.fixAll.memory-ls');
    await choose(actions, /./);
    assert.ok(document.getText().includes('description: "When: it is high"\n'));
    await until('it parses', () => !found(file).some(({ severity }) => severity === vscode.DiagnosticSeverity.Error));
  });

  it('takes its links along when it is moved in the explorer', async () => {
    const edit = new vscode.WorkspaceEdit();
    edit.renameFile(vscode.Uri.file(pilotFile), vscode.Uri.file(path.join(memory, 'team', 'harbour-pilot.md')));
    assert.ok(await vscode.workspace.applyEdit(edit));
    await until('the entry follows', () => textOf(indexFile).includes('](team/harbour-pilot.md)'));
    await saveAll();
    await until('nothing is dead', () => found(indexFile).every(({ message }) => !message.includes('harbour-pilot')));
    assert.ok(said().some(({ method }) => method === 'workspace/willRenameFiles'));
  });

  it('takes its entry along when it is deleted in the explorer', async () => {
    const edit = new vscode.WorkspaceEdit();
    edit.deleteFile(vscode.Uri.file(tideFile));
    assert.ok(await vscode.workspace.applyEdit(edit));
    await until('the entry goes', () => !textOf(indexFile).includes('tide-table.md'));
    await saveAll();
  });

  it('is written, and the change taken back, by the commands of the server', async () => {
    await vscode.commands.executeCommand('memoryLs.write', {
      directory: memory,
      name: 'lock',
      type: 'project',
      description: '水門',
      content: '開。',
    });
    await until('it is there', () => textOf(indexFile).includes('lock.md'));
    await vscode.commands.executeCommand('memoryLs.undo', { directory: memory });
    await until('all is as before', () => {
      try {
        assert.deepEqual(state(), was);
        return true;
      } catch {
        return false;
      }
    });
  });
});
