// "Show Injection Text": what an agent's system prompt is given of the memories, to read.
import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';
import { execute } from './commands';
import { offerNew } from './memories';
import { Pages } from './pages';
import { SECTION } from './settings';

const FORMS = [
  { label: 'summaries', detail: 'The name and description of each memory, and how to read more.' },
  { label: 'index', detail: 'The index MEMORY.md, as far as an agent loads it.' },
];

export async function showInjection(client: LanguageClient, { pages }: { pages: Pages }): Promise<void> {
  const usual = vscode.workspace.getConfiguration(SECTION).get('injection');
  const items = FORMS.map((form) => ({ ...form, description: form.label === usual ? 'as the settings say' : '' }));
  const form = await vscode.window.showQuickPick(items, {
    title: 'Show Injection Text',
    placeHolder: 'In which form?',
  });
  if (!form) {
    return;
  }
  const text = await execute<string>(client, 'memoryLs.injection', { form: form.label });
  if (text === '') {
    await offerNew('Agents are given nothing: there is no memory yet.');
  } else {
    await pages.show(`Injection Text (${form.label})`, [text]);
  }
}
