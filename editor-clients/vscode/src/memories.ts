// "New Memory", "Show Memory…", "Delete Memory…" and "Clear All Memories". What deletes asks first, and can be undone.
import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';
import { execute, kindOf } from './commands';
import { INDEX_NAME } from './discover';
import { inform, warn } from './messages';
import { Meant, MemoryItem, fileOf, findMeant, inDirectory, listed, located, memoryItems } from './targets';
import { keepUp } from './tabs';
import { offerUndo } from './undo';
import { Written, whyNot } from './written';

// ---- a new memory

const TYPES: readonly (vscode.QuickPickItem & { readonly label: string })[] = [
  { label: 'user', detail: 'Who the user is: role, knowledge, what they like and how they work.' },
  {
    label: 'feedback',
    detail: 'How to work: corrections and confirmed ways of working, with why and how to apply them.',
  },
  { label: 'project', detail: 'What is going on: decisions, constraints and state that the code does not tell.' },
  { label: 'reference', detail: 'Where to find things: systems, documents and people outside of the project.' },
];

/** Asks for name, type and description, writes the memory, and opens it where its text goes. */
export async function newMemory(client: LanguageClient): Promise<void> {
  const title = 'New Memory';
  const probe = (name: string, where: object) =>
    execute<Written>(client, 'memoryLs.write', { name, type: 'project', dryRun: true, ...where });
  const place = await inDirectory(title, (where) => probe('new', where));
  const name =
    place &&
    (await vscode.window.showInputBox({
      title,
      prompt: 'What is it called? Links find it by this name.',
      placeHolder: 'release-day',
      ignoreFocusOut: true,
      validateInput: (name) => whyNotNew(name, () => probe(name, { directory: place.directory })),
    }));
  const type =
    name && (await vscode.window.showQuickPick(TYPES, { title, placeHolder: 'What is it about?', ...STAYS }));
  const description =
    type &&
    (await vscode.window.showInputBox({
      title,
      prompt: 'What does it say, in one line? Agents choose by it which memories they read.',
      ...STAYS,
    }));
  if (description === undefined || !place || !name || !type) {
    return;
  }
  const given = { name, type: type.label, description, directory: place.directory };
  const { files, directory, warnings } = await execute<Written>(client, 'memoryLs.write', given);
  if (warnings.length > 0) {
    void warn(warnings.join(' '));
  }
  const file = files.find((each) => each !== INDEX_NAME);
  if (file) {
    await show(vscode.Uri.joinPath(vscode.Uri.file(directory), file), { selection: AT_END, preview: false });
  }
}

/** Why there can be no new memory of a name. */
async function whyNotNew(name: string, probe: () => Promise<Written>): Promise<string | undefined> {
  let written: Written | undefined;
  const why = await whyNot(name, async () => (written = await probe()));
  return why ?? (written?.added.length === 0 ? 'There is a memory with this name already.' : undefined);
}

/**
 * Opens a file in an editor. Not by its document: VS Code would keep that for minutes after the editor is closed, and
 * the server would take it for the text that counts.
 */
async function show(file: string | vscode.Uri, options: vscode.TextDocumentShowOptions): Promise<void> {
  await vscode.commands.executeCommand(
    'vscode.open',
    typeof file === 'string' ? vscode.Uri.parse(file) : file,
    options,
  );
}

// Cut to where the text ends.
const AT_END = new vscode.Range(1e6, 0, 1e6, 0);
const STAYS = { ignoreFocusOut: true };

// ---- those that are there

/** Opens a memory; each is shown while the user moves through the list. */
export async function showMemory(client: LanguageClient, meant?: Meant): Promise<void> {
  const memory = meant ? await findMeant(client, meant) : await lookThrough(memoryItems(await listed(client)));
  if (memory) {
    await show(memory.uri, { preview: false });
  } else if (meant) {
    notThere();
  }
}

async function lookThrough(items: readonly MemoryItem[]): Promise<MemoryItem['memory'] | undefined> {
  if (items.length === 0) {
    await offerNew('There is no memory yet.');
    return undefined;
  }
  const before = vscode.window.activeTextEditor;
  const list = vscode.window.createQuickPick<MemoryItem>();
  Object.assign(list, { items, title: 'Show Memory', placeholder: 'Search by name, type or description' });
  list.matchOnDescription = true;
  list.matchOnDetail = true;
  let shown: Promise<unknown> = Promise.resolve();
  let moved = false;
  let last: string | undefined;
  list.onDidChangeActive(([item]) => {
    // The first is active before the user has looked at anything.
    if (item && (moved || list.value !== '')) {
      last = item.memory.uri;
      shown = show(last, { preview: true, preserveFocus: true }).catch(() => undefined);
    }
    moved = true;
  });
  const chosen = await new Promise<MemoryItem | undefined>((resolve) => {
    list.onDidAccept(() => resolve(list.activeItems[0]));
    list.onDidHide(() => resolve(undefined));
    list.show();
  });
  list.dispose();
  await shown;
  if (!chosen && last) {
    await (before ? vscode.window.showTextDocument(before.document, before.viewColumn) : closePreview(last));
  }
  return chosen?.memory;
}

/** Closes the editor that has shown a file while the user looked through a list. */
async function closePreview(uri: string): Promise<void> {
  const { activeTab } = vscode.window.tabGroups.activeTabGroup;
  const file = activeTab?.input instanceof vscode.TabInputText ? activeTab.input.uri : undefined;
  if (activeTab?.isPreview && file && fileOf(file) === fileOf(uri)) {
    await vscode.window.tabGroups.close(activeTab);
  }
}

// ---- those that go

/** Deletes a memory with its entry: the one that a view means, or one that the user chooses. */
export async function deleteMemory(client: LanguageClient, meant?: Meant): Promise<void> {
  const memory = meant ? await findMeant(client, meant) : await chooseOne(client, 'Delete Memory');
  if (!memory) {
    return meant && notThere();
  }
  const { directory } = memory;
  // By its path, which means this one however many are called the same.
  const which = { name: `./${memory.path}`, directory };
  const { files, warnings } = await execute<Written>(client, 'memoryLs.delete', { ...which, dryRun: true });
  const goes = files.includes(INDEX_NAME)
    ? `The file ${memory.path} and its entry in ${INDEX_NAME} go.`
    : `The file ${memory.path} goes.`;
  if (await confirmed(`Delete the memory “${memory.name}”?`, [goes, ...warnings], 'Delete')) {
    const done = await execute<Written>(client, 'memoryLs.delete', which).catch(unlessGone);
    if (!done) {
      return notThere();
    }
    await keepUp(directory, done.files);
    void offerUndo(client, `Deleted: ${memory.name}.`, done);
  }
}

async function chooseOne(client: LanguageClient, title: string): Promise<MemoryItem['memory'] | undefined> {
  const items = memoryItems(await listed(client));
  if (items.length === 0) {
    await offerNew('There is no memory yet.');
    return undefined;
  }
  const open = vscode.window.activeTextEditor?.document.uri.fsPath;
  // The one that is looked at comes first: it is likely the one that is meant.
  items.sort((one, other) => Number(fileOf(other.memory.uri) === open) - Number(fileOf(one.memory.uri) === open));
  const options = { title, placeHolder: 'Which one?', matchOnDescription: true, matchOnDetail: true };
  return (await vscode.window.showQuickPick(items, options))?.memory;
}

/** Deletes all memories of a directory. */
export async function clear(client: LanguageClient): Promise<void> {
  const title = 'Clear All Memories';
  const planned = await inDirectory(title, (where) =>
    execute<Written>(client, 'memoryLs.clear', { dryRun: true, ...where }),
  );
  if (!planned) {
    return;
  }
  const { directory } = planned;
  const count = planned.files.filter((file) => file !== INDEX_NAME).length;
  if (count === 0) {
    await offerNew(`There is no memory in ${located(directory)} yet.`);
    return;
  }
  const all = count === 1 ? 'the only memory' : `all ${count} memories`;
  const goes = `Their files and their entries in ${INDEX_NAME} go. What else stands in the index stays.`;
  if (await confirmed(`Delete ${all} in ${located(directory)}?`, [goes, ...planned.warnings], 'Delete All')) {
    const done = await execute<Written>(client, 'memoryLs.clear', { confirm: true, directory });
    await keepUp(directory, done.files);
    const told = count === 1 ? 'One memory was deleted.' : `${count} memories were deleted.`;
    void offerUndo(client, told, done);
  }
}

async function confirmed(question: string, details: readonly string[], yes: string): Promise<boolean> {
  const detail = [...details, 'You can undo it after.'].join('\n\n');
  return (await warn(question, { modal: true, detail }, yes)) === yes;
}

/** Somebody else may have been quicker. */
function unlessGone(error: unknown): undefined {
  if (kindOf(error) !== 'notFound') {
    throw error;
  }
}

function notThere(): void {
  void inform('There is no such memory any more: it may have been deleted or renamed.');
}

/** Tells what is missing, and offers to write the first memory. */
export async function offerNew(sentence: string): Promise<void> {
  if ((await inform(sentence, 'New Memory')) === 'New Memory') {
    await vscode.commands.executeCommand('memoryLs.ui.newMemory');
  }
}
