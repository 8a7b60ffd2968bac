// The memories view: all memories of this window as a tree, with their ages and faults, and what changed since the
// user last looked.
import * as vscode from 'vscode';
import { daysAgo, timeOf } from './ages';
import {
  ChangeNode,
  GroupNode,
  Marks,
  MemoryNode,
  Node,
  becomes,
  changes,
  changesOf,
  marked,
  tree,
} from './memory_tree';
import { Known, Overview } from './overview';
import { Server } from './server';
import { shortened } from './targets';
import { counted, inOrder } from './words';

/** Where it is kept up to when the user has looked at the changes. */
const MARKS = 'memoryLs.lookedAt';
/** Groups with more below them begin closed. */
const MOST_OPEN = 100;

export class MemoriesView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private top: readonly GroupNode[] = [];
  private words = '';
  private day = '';
  /** Whether groups began open. Later it is the user who opens and closes them. */
  private readonly began = new Map<string, boolean>();
  private readonly changed = new vscode.EventEmitter<Node[] | undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<Node>;
  private readonly disposables: vscode.Disposable;

  constructor(
    private readonly server: Server,
    private readonly overview: Overview,
    private readonly state: vscode.Memento,
  ) {
    this.view = vscode.window.createTreeView<Node>('memoryLs.memories', {
      treeDataProvider: this,
      showCollapseAll: true,
    });
    const { registerCommand, executeCommand } = vscode.commands;
    this.disposables = vscode.Disposable.from(
      this.view,
      this.changed,
      server.onDidChange(() => this.update()),
      overview.onDidChange(() => this.update()),
      vscode.languages.onDidChangeDiagnostics(({ uris }) => this.showFaults(uris)),
      vscode.window.onDidChangeWindowState(() => this.showAges()),
      this.view.onDidChangeVisibility(() => this.listWhileVisible()),
      registerCommand('memoryLs.ui.markLookedAt', () => this.markLookedAt()),
      registerCommand('memoryLs.ui.searchMemories', () => this.search()),
      registerCommand('memoryLs.ui.clearSearch', () => this.searchFor('')),
      // By key. What is chosen by mouse, VS Code tells the commands itself.
      ...['renameMemory', 'deleteMemory'].map((name) =>
        registerCommand(`memoryLs.ui.${name}.selected`, () =>
          this.view.selection[0]?.kind === 'memory'
            ? executeCommand(`memoryLs.ui.${name}`, this.view.selection[0])
            : undefined,
        ),
      ),
    );
    this.listWhileVisible();
    this.update();
  }

  dispose(): void {
    this.disposables.dispose();
  }

  getChildren(node?: Node): Node[] {
    return [...(node === undefined ? this.top : 'children' in node ? node.children : [])];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    return node.kind === 'memory' ? memoryItem(node) : node.kind === 'change' ? changeItem(node) : this.groupItem(node);
  }

  /** What is told of a memory when the mouse rests on it. */
  resolveTreeItem(item: vscode.TreeItem, node: Node): vscode.TreeItem {
    if (node.kind === 'memory') {
      item.tooltip = memoryTooltip(node);
    }
    return item;
  }

  private listWhileVisible(): void {
    this.overview.isListed = this.view.visible;
    if (this.view.visible) {
      this.overview.look();
    }
  }

  // ---- what is shown

  private update(): void {
    const { known } = this.overview;
    void vscode.commands.executeCommand('setContext', 'memoryLs.memories', this.contents());
    if (known) {
      this.beginMarks(known);
    }
    const count = known ? changes(known.history, this.marks).length : 0;
    const tooltip = `${counted(count, 'memory', 'memories')} changed since you last looked`;
    this.view.badge = count > 0 ? { value: count, tooltip } : undefined;
    const nameOf = (directory: string, path: string) => this.overview.nameOf(directory, path);
    const wanted = known ? tree(known, this.marks, shortened, this.words, nameOf) : [];
    const others = becomes(this.top, wanted);
    if (!others) {
      this.top = wanted;
      this.changed.fire(undefined);
    } else if (others.length > 0) {
      this.changed.fire(others);
    }
  }

  /** What there is to show, for the words that stand in an empty view. */
  private contents(): string {
    const { known } = this.overview;
    switch (this.server.condition) {
      case 'failed':
      case 'starting':
        return this.server.condition;
      case 'stopped':
        return 'none';
      case 'running':
        if (!known || known.status.work.includes('reading')) {
          return 'starting';
        }
        const { directories } = known.status;
        return directories.length === 0
          ? 'none'
          : directories.every(({ memories }) => memories === 0)
            ? 'empty'
            : 'some';
    }
  }

  private showFaults(uris: readonly vscode.Uri[]): void {
    const changed = new Set(uris.map(String));
    const nodes = leaves(this.top).filter((node) => node.kind === 'memory' && changed.has(uriOf(node).toString()));
    if (nodes.length > 0) {
      this.changed.fire(nodes);
    }
  }

  /** With the day, all ages change. */
  private showAges(): void {
    const today = new Date().toDateString();
    if (this.day !== today) {
      this.day = today;
      this.changed.fire(undefined);
    }
  }

  private groupItem({ kind, id, label, count }: GroupNode): vscode.TreeItem {
    const isOpen = this.began.get(id) ?? count <= MOST_OPEN;
    this.began.set(id, isOpen);
    const { Expanded, Collapsed } = vscode.TreeItemCollapsibleState;
    const item = new vscode.TreeItem(label, isOpen ? Expanded : Collapsed);
    item.id = id;
    item.contextValue = kind;
    item.description = String(count);
    if (kind === 'directory') {
      item.iconPath = vscode.ThemeIcon.Folder;
      item.tooltip = id.split('\0', 1)[0];
    }
    return item;
  }

  // ---- what the user has looked at

  private get marks(): Marks {
    return this.state.get<Marks>(MARKS, {});
  }

  /** What happened before a directory is first seen is nothing new. */
  private beginMarks(known: Known): void {
    const all = marked(known, new Date().toISOString());
    if (Object.keys(all).some((directory) => !(directory in this.marks))) {
      void this.state.update(MARKS, { ...all, ...this.marks });
    }
  }

  private async markLookedAt(): Promise<void> {
    const { known } = this.overview;
    if (known) {
      await this.state.update(MARKS, { ...this.marks, ...marked(known, new Date().toISOString()) });
      this.update();
    }
  }

  // ---- search

  /** Narrows the tree while the user types, and until the search is cleared. */
  private async search(): Promise<void> {
    await vscode.commands.executeCommand('memoryLs.memories.focus');
    const box = vscode.window.createInputBox();
    box.title = 'Search Memories';
    box.placeholder = 'Words of the names, descriptions, types or paths';
    box.value = this.words;
    box.onDidChangeValue((text) => this.searchFor(text));
    box.onDidAccept(() => box.hide());
    box.onDidHide(() => box.dispose());
    box.show();
  }

  private searchFor(text: string): void {
    this.words = text.trim();
    void vscode.commands.executeCommand('setContext', 'memoryLs.isSearched', this.words !== '');
    this.update();
    const count = leaves(this.top).filter(({ kind }) => kind === 'memory').length;
    this.view.message = this.words && `${count} found for “${this.words}”`;
  }
}

function leaves(nodes: readonly Node[]): (MemoryNode | ChangeNode)[] {
  return nodes.flatMap((node) => ('children' in node ? leaves(node.children) : [node]));
}

// ---- how nodes look

function memoryItem(node: MemoryNode): vscode.TreeItem {
  const item = new vscode.TreeItem(inOrder(node.name));
  const faults = faultsOf(node);
  const words = [ageOf(node), node.stale ? 'stale' : ''].filter(Boolean);
  item.id = node.id;
  item.contextValue = 'memory';
  item.description = words.join(' · ');
  item.resourceUri = uriOf(node); // files with faults are marked by VS Code itself, with their number and colour
  item.iconPath = iconOf(node, faults);
  item.command = { command: 'vscode.open', title: 'Open', arguments: [item.resourceUri] };
  item.accessibilityInformation = {
    label: [node.name, ...words, problems(faults.length)].filter(Boolean).join(', '),
  };
  return item;
}

function iconOf({ stale }: MemoryNode, faults: readonly vscode.Diagnostic[]): vscode.ThemeIcon {
  const { Error, Warning, Information } = vscode.DiagnosticSeverity;
  switch (Math.min(...faults.map(({ severity }) => severity))) {
    case Error:
      return new vscode.ThemeIcon('error', new vscode.ThemeColor('list.errorForeground'));
    case Warning:
      return new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
    case Information:
      return new vscode.ThemeIcon('info');
    default:
      return new vscode.ThemeIcon(stale ? 'history' : 'note');
  }
}

/** What is found in a memory; of hints nobody need be told in a list. */
function faultsOf(node: MemoryNode): vscode.Diagnostic[] {
  const found = vscode.languages.getDiagnostics(uriOf(node));
  return found.filter(({ severity }) => severity !== vscode.DiagnosticSeverity.Hint);
}

function problems(count: number): string {
  return count === 0 ? '' : counted(count, 'problem', 'problems');
}

function ageOf({ updated }: MemoryNode): string {
  return updated === null ? '' : daysAgo(updated, vscode.env.language);
}

/** In the words of the memory, which may come from anywhere: none of them is taken for markdown. */
function memoryTooltip(node: MemoryNode): vscode.MarkdownString {
  const about = [node.type, node.path, node.updated].filter(Boolean).join(' · ');
  const faults = faultsOf(node).map(({ message }) => `⚠ ${message}`);
  const [name, ...others] = [node.name, node.description, about, ...faults].map(literal);
  return new vscode.MarkdownString([`**${name}**`, ...others].filter(Boolean).join('\n\n'));
}

/** Text for markdown. What VS Code has for this makes spaces that break no line. */
function literal(text: string): string {
  return inOrder(text)
    .replace(/\s+/g, ' ')
    .replace(/[!-/:-@[-`{-~]/g, '\\$&');
}

/** What was done to a file, in a word, and its icon. */
export const CHANGES: Record<ChangeNode['change'], readonly [word: string, icon: string]> = {
  create: ['added', 'diff-added'],
  edit: ['edited', 'diff-modified'],
  rename: ['renamed', 'diff-renamed'],
  delete: ['deleted', 'diff-removed'],
};

function changeItem(node: ChangeNode): vscode.TreeItem {
  const { entry } = node;
  const [word, icon] = CHANGES[node.change];
  const item = new vscode.TreeItem(inOrder(node.name));
  item.id = node.id;
  item.contextValue = 'change';
  item.description = `${word} · ${timeOf(entry.time, vscode.env.language)}`;
  item.iconPath = new vscode.ThemeIcon(icon);
  const count = changesOf(entry).length;
  const others = count > 1 ? `\n\nTo undo it takes back all ${count} files of this change.` : '';
  item.tooltip = `${entry.title}\n${node.path}${others}`;
  item.command = { command: 'memoryLs.ui.showChange', title: 'Show Change', arguments: [node] };
  return item;
}

function uriOf({ uri }: MemoryNode): vscode.Uri {
  return vscode.Uri.parse(uri);
}
