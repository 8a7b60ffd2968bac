// In a workspace that the user does not trust, which tries to have a program of its own run.
import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { paletteCommands, wordsOf } from './helps';
import { click, found, makeFiles, memory, open, project, saidOf, starts, until } from './workspace';

const file = path.join(memory, 'tide-table.md');

describe('an untrusted workspace without memories', () => {
  it('is told of in the view', async () => {
    await vscode.commands.executeCommand('memoryLs.memories.focus');
    await click('.welcome-view-content:has-text("no memory directory") a:has-text("Manage Workspace Trust")', 'look');
    assert.equal(starts().length, 0);
  });
});

describe('an untrusted workspace', () => {
  before(async () => {
    makeFiles();
    await open(file);
    await until('the server answers', () => found(file).length > 0);
  });

  it('is served, by the program of the user', () => {
    assert.equal(vscode.workspace.isTrusted, false);
    assert.equal(starts().length, 1);
    assert.equal(fs.existsSync(path.join(project, 'was-run')), false);
  });

  it('is called so, and gives no setting that could do harm', () => {
    const { initializationOptions } = saidOf('initialize')[0]!.params;
    assert.deepEqual(initializationOptions, { staleDays: 77, trusted: false, showReferences: true, tellChanges: true });
  });

  it('has no command that says nothing, and none that runs what the workspace names', async function () {
    this.timeout(120_000);
    for (const id of await paletteCommands()) {
      // These show by what they do: in the explorer and the status item.
      if (!['openDirectory', 'restartServer'].includes(id.slice('memoryLs.ui.'.length))) {
        await wordsOf(id);
      }
    }
    void vscode.commands.executeCommand('memoryLs.ui.selectProvider');
    await click('.quick-input-widget [placeholder*="Only offline works until you trust this workspace"]', 'look');
    await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
    assert.equal(fs.existsSync(path.join(project, 'was-run')), false);
  });

  it('is served anew when it is trusted, by the program that it names', async () => {
    await vscode.commands.executeCommand('workbench.trust.manage'); // where the driver presses the button
    await until('it is trusted', () => vscode.workspace.isTrusted);
    await until('the server is told', () => saidOf('initialize').at(-1)!.params.initializationOptions.trusted === true);
    assert.equal(fs.existsSync(path.join(project, 'was-run')), true);
    assert.equal(saidOf('initialize').at(-1)!.params.initializationOptions.directory, '/');
  });
});
