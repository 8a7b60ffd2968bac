// The directories that the tests run on, and what VS Code has said to the server so far.
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';

interface Given {
  readonly work: string;
  /** The file in which the proxy writes down what is said. */
  readonly record: string;
  /** The file that takes the results. */
  readonly report: string;
  /** Which tests are run. */
  readonly suite: string;
  /** The address of who clicks for the tests. */
  readonly hand: string;
}

const given = JSON.parse(process.env['MEMORY_LS_TEST'] ?? '') as Given;
const { work, record } = given;
export const { report, suite } = given;

export const project = path.join(work, 'project');
export const memory = path.join(project, '.claude', 'memory');
export const elsewhere = path.join(work, 'elsewhere', 'memory');

export const TIDE_LINES = [
  '---',
  'name: tide-table',
  'description: 水位',
  'type: reference',
  '---',
  '',
  '😀 é 漢 [[missing-pilot]] 끝',
  '',
  'Ask [[harbour-pilot]] first.',
  '',
];

export function makeFiles(): void {
  write(
    path.join(memory, 'MEMORY.md'),
    '# Memory Index\n\n- [Harbour pilot](harbour-pilot.md) — who steers\n- [潮位](tide-table.md) — 水位\n',
  );
  write(
    path.join(memory, 'harbour-pilot.md'),
    '---\nname: harbour-pilot\ndescription: who steers\ntype: user\n---\n\nSteers by hand.\n\n## Night shift\n\nTwo pilots.\n',
  );
  write(path.join(memory, 'tide-table.md'), TIDE_LINES.join('\n'));
  write(
    path.join(memory, 'rota.md'),
    '---\nname: rota\ndescription: Who is where\ntype: project\n---\n\n- [[harbour-pilot]]\n',
  );
  write(path.join(project, 'README.md'), '# A project\n\n[[missing-pilot]]\n');
  write(path.join(project, 'notes', 'tides.md'), '---\nname: tides\ndescription: High and low\n---\n\n[[lost-buoy]]\n');
  write(path.join(elsewhere, 'MEMORY.md'), '- [Lost](lost.md)\n');
}

export function write(file: string, text: string): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}

export interface Said {
  readonly started?: number;
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: any;
}

/** Every message from VS Code to the server, in order, and every start of the server. */
export function said(): Said[] {
  const lines = fs.readFileSync(record, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Said);
}

export function saidOf(method: string): Said[] {
  return said().filter((message) => message.method === method);
}

export function starts(): number[] {
  return said().flatMap(({ started }) => (started === undefined ? [] : [started]));
}

/** The names of the files that the server was told of, in the order in which they were opened. */
export function opened(): string[] {
  return saidOf('textDocument/didOpen').map(({ params }) => vscode.Uri.parse(params.textDocument.uri).fsPath);
}

export async function open(file: string): Promise<vscode.TextDocument> {
  const document = await vscode.workspace.openTextDocument(file);
  await vscode.window.showTextDocument(document);
  return document;
}

export function found(file: string): vscode.Diagnostic[] {
  return vscode.languages.getDiagnostics(vscode.Uri.file(file));
}

/** Waits until `condition` holds, and says what was waited for when it never does. */
export async function until(what: string, condition: () => unknown, seconds = 20): Promise<void> {
  const end = Date.now() + seconds * 1000;
  while (!(await condition())) {
    if (Date.now() > end) {
      throw new Error(`waited ${seconds} s in vain: ${what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/**
 * Clicks in the window as a user does, and answers with the text of what was clicked; with `look` does no more. `menu`
 * is a click with the other button, `choose` one in a menu, `fill` puts a text into a field, and anything else but
 * `hover` is a key.
 */
export async function click(selector: string, act = 'click', text = ''): Promise<string> {
  const answer = await fetch(given.hand, { method: 'POST', body: JSON.stringify({ selector, act, text }) });
  const { seen, error } = (await answer.json()) as { seen: string; error?: string };
  if (error) {
    throw new Error(error);
  }
  return seen;
}
