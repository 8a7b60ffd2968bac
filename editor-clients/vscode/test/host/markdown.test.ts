// What VS Code's own markdown extension tells of a memory, this one does not tell a second time.
import * as assert from 'node:assert/strict';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { found, makeFiles, memory, open, until, write } from './workspace';

const FILE = path.join(memory, 'moorings.md');
const LINES = [
  '---',
  'name: moorings',
  'description: Where to moor',
  'type: project',
  '---',
  '',
  '# 泊位 Berths',
  '',
  'See [the pilot](harbour-pilot.md#night-shift) and [berths](#泊位-berths), not [[missing]].',
  '',
  '## Ropes',
  '',
  '[]()',
  '',
];
const LINK = new vscode.Position(8, 20);

function assertAllDiffer(what: string, all: readonly string[]): void {
  assert.ok(all.length > 0, `no ${what}`);
  assert.deepEqual([...new Set(all)], all, `${what} told twice`);
}

const told = (range: vscode.Range) => `${range.start.line}:${range.start.character}-${range.end.character}`;

/** Asks until VS Code's own extension, which starts when it likes, and the server both answer. */
async function asked<T>(command: string, ...given: unknown[]): Promise<T[]> {
  let answer: T[] = [];
  await until(command, async () => {
    answer = (await vscode.commands.executeCommand<T[] | undefined>(command, ...given)) ?? [];
    return answer.length > 0;
  });
  return answer;
}

describe('beside the markdown extension of VS Code', () => {
  let uri: vscode.Uri;

  before(async () => {
    makeFiles();
    write(FILE, LINES.join('\n'));
    uri = (await open(FILE)).uri;
    await until('the server answers', () => found(FILE).some(({ code }) => JSON.stringify(code).includes('link-dead')));
    await vscode.extensions.getExtension('vscode.markdown-language-features')?.activate();
  });

  it('a link leads to one place', async () => {
    const places = await asked<vscode.Location | vscode.LocationLink>('vscode.executeDefinitionProvider', uri, LINK);
    const targets = places.map((place) =>
      'targetUri' in place
        ? `${place.targetUri} ${told(place.targetSelectionRange ?? place.targetRange)}`
        : `${place.uri} ${told(place.range)}`,
    );
    assertAllDiffer('targets', targets);
  });

  it('a link can be clicked once', async () => {
    const links = await asked<vscode.DocumentLink>('vscode.executeLinkProvider', uri);
    assertAllDiffer(
      'links',
      links.map(({ range }) => told(range)),
    );
  });

  it('a path is completed once', async () => {
    const at = new vscode.Position(12, 3);
    let labels: string[] = [];
    await until('paths are offered', async () => {
      const { items } = await vscode.commands.executeCommand<vscode.CompletionList>(
        'vscode.executeCompletionItemProvider',
        uri,
        at,
        '(',
      );
      labels = items.map(({ label }) => (typeof label === 'string' ? label : label.label));
      return labels.includes('harbour-pilot.md');
    });
    assertAllDiffer(
      'paths',
      labels.filter((label) => label.endsWith('.md')),
    );
  });

  it('headings are in the outline once', async () => {
    const symbols = await asked<vscode.DocumentSymbol>('vscode.executeDocumentSymbolProvider', uri);
    const all = (list: vscode.DocumentSymbol[]): vscode.DocumentSymbol[] =>
      list.flatMap((symbol) => [symbol, ...all(symbol.children)]);
    assert.equal(all(symbols).filter(({ name }) => name.includes('Ropes')).length, 1);
    assert.equal(all(symbols).filter(({ name }) => name.includes('moorings')).length, 1);
  });

  it('what leads to a heading is found once', async () => {
    const at = new vscode.Position(6, 4);
    const places = await asked<vscode.Location>('vscode.executeReferenceProvider', uri, at);
    assertAllDiffer(
      'references',
      places.map((place) => `${place.uri} ${told(place.range)}`),
    );
  });

  it('text folds once', async () => {
    const folds = await asked<vscode.FoldingRange>('vscode.executeFoldingRangeProvider', uri);
    assertAllDiffer(
      'folds',
      folds.map(({ start, end }) => `${start}-${end}`),
    );
  });

  it('a heading is renamed with the links to it', async () => {
    const edit = await vscode.commands.executeCommand<vscode.WorkspaceEdit>(
      'vscode.executeDocumentRenameProvider',
      uri,
      new vscode.Position(6, 6),
      'Piers',
    );
    const edits = edit.entries().flatMap(([file, edits]) => edits.map(({ range }) => `${file} ${told(range)}`));
    assertAllDiffer('edits', edits);
    assert.equal(edits.length, 2);
  });
});
