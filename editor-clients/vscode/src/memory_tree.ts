// The tree of the memories view, from what is known: by directory where there are several, then by type; on top what
// changed since the user last looked. Nothing here knows of VS Code.
import { posix } from 'node:path';
import { INDEX_NAME } from './discover';
import { Entry, Known, Memory } from './overview';

export interface MemoryNode extends Memory {
  readonly kind: 'memory';
  readonly id: string;
}

/** What one change of memories made of one file. */
export interface ChangeNode {
  readonly kind: 'change';
  readonly id: string;
  readonly journalId: string;
  readonly directory: string;
  readonly path: string;
  /** The name of the memory, where it is known, else of its file; the index is called as its file is. */
  readonly name: string;
  readonly entry: Entry;
  readonly change: Entry['files'][number]['kind'];
}

export interface GroupNode {
  readonly kind: 'changes' | 'directory' | 'type';
  readonly id: string;
  readonly label: string;
  /** How many memories, or changes, are below. */
  count: number;
  children: readonly Node[];
}

export type Node = GroupNode | MemoryNode | ChangeNode;

/** The name of the memory in a file, as far as it is known. */
export type NameOf = (directory: string, path: string) => string | undefined;

/** When the user last looked at the changes of each directory. */
export type Marks = Readonly<Record<string, string>>;

const TYPES: readonly (readonly [string, string])[] = [
  ['user', 'User'],
  ['feedback', 'Feedback'],
  ['project', 'Project'],
  ['reference', 'Reference'],
];
const OTHER = 'Other';

/** The memories that have all words of `text` in their names, descriptions, types or paths. */
export function found(memories: readonly Memory[], text: string): readonly Memory[] {
  const words = folded(text).split(/\s+/).filter(Boolean);
  return memories.filter(({ name, description, type, path }) => {
    const all = folded(`${name}\n${description}\n${type ?? ''}\n${path}`);
    return words.every((word) => all.includes(word));
  });
}

function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/**
 * The top of the tree, with the memories that have all words of `text`. `labelOf` is what to call a directory.
 * Groups of what is searched are others, so that they open where there is little in them.
 */
export function tree(
  known: Known,
  marks: Marks,
  labelOf: (directory: string) => string,
  text = '',
  nameOf?: NameOf,
): readonly GroupNode[] {
  const shown = found(known.memories, text);
  const changed = changes(known.history, marks, nameOf);
  const top: GroupNode[] =
    changed.length > 0 ? [group('changes', 'changes', 'Changed Since You Last Looked', changed)] : [];
  const directories = [...new Set(known.memories.map(({ directory }) => directory))];
  if (directories.length === 1) {
    return [...top, ...types(directories[0]!, shown, text)];
  }
  for (const each of directories) {
    const memories = shown.filter(({ directory }) => directory === each);
    if (memories.length > 0) {
      const id = `${each}\0${text}`;
      top.push(group('directory', id, labelOf(each), types(each, memories, text), memories.length));
    }
  }
  return top;
}

/** The changes that are new to the user and still stand, the newest first. */
export function changes(history: readonly Entry[], marks: Marks, nameOf?: NameOf): ChangeNode[] {
  return history
    .filter(({ source, undone }) => source !== 'undo' && !undone)
    .filter(({ time, directory }) => Date.parse(time) > Date.parse(marks[directory] ?? time))
    .flatMap((entry) => changesOf(entry, nameOf));
}

/** What a change made of each of its files. */
export function changesOf(entry: Entry, nameOf?: NameOf): ChangeNode[] {
  // That the index goes along with its memories need not be told.
  const others = entry.files.filter(({ path }) => path !== INDEX_NAME);
  return (others.length > 0 ? others : entry.files).map(({ path, newPath, kind }) => ({
    kind: 'change',
    id: `${entry.directory}\0${entry.id}\0${path}`,
    journalId: entry.id,
    directory: entry.directory,
    path: newPath ?? path,
    name:
      path === INDEX_NAME
        ? path
        : (nameOf?.(entry.directory, newPath ?? path) ?? posix.basename(newPath ?? path, '.md')),
    entry,
    change: kind,
  }));
}

/**
 * Makes a tree that is shown into another and tells which nodes have other children now; undefined where it is sooner
 * shown anew. The nodes that stay are the same objects.
 */
export function becomes(shown: readonly Node[], wanted: readonly Node[]): GroupNode[] | undefined {
  const pairs = shown.map((node, at) => [node, wanted[at]] as const);
  const areAlike = shown.length === wanted.length && pairs.every(([one, other]) => one.id === other?.id);
  if (!areAlike) {
    return undefined;
  }
  return pairs.flatMap(([one, other]) => {
    if (!isGroup(one) || !other || !isGroup(other)) {
      return [];
    }
    const below = one.children.some(isGroup) ? becomes(one.children, other.children) : undefined;
    const isSame = below ? one.count === other.count : JSON.stringify(one.children) === JSON.stringify(other.children);
    if (!below && !isSame) {
      one.children = other.children;
    }
    one.count = other.count;
    return isSame ? (below ?? []) : [one];
  });
}

function isGroup(node: Node): node is GroupNode {
  return 'children' in node;
}

/** Every directory marked as looked at: up to its newest change, else up to now. */
export function marked(known: Known, now: string): Marks {
  const marks: Record<string, string> = {};
  for (const { path } of known.status.directories) {
    marks[path] = known.history.find(({ directory }) => directory === path)?.time ?? now;
  }
  return marks;
}

function types(directory: string, memories: readonly Memory[], text: string): GroupNode[] {
  const labelOf = ({ type }: Memory) => TYPES.find(([key]) => key === type)?.[1] ?? OTHER;
  return [...TYPES.map(([, label]) => label), OTHER].flatMap((label) => {
    const found = memories.filter((memory) => labelOf(memory) === label);
    return found.length > 0 ? [group('type', `${directory}\0${text}\0${label}`, label, found.map(ofMemory))] : [];
  });
}

function ofMemory(memory: Memory): MemoryNode {
  // With its type: the same memory under another one is another node, so that no two ever have the same id.
  return { kind: 'memory', id: [memory.directory, memory.type, memory.path].join('\0'), ...memory };
}

function group(
  kind: GroupNode['kind'],
  id: string,
  label: string,
  children: readonly Node[],
  count = children.length,
): GroupNode {
  return { kind, id, label, count, children };
}
