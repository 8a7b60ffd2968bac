// Where memory directories are. The server has the same rules; the two share one table of tests,
// tests/directory/discovery_cases.json. Nothing here knows of VS Code.
import { Dirent, Stats, promises as fs, readFileSync, realpathSync, statSync } from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';

export const INDEX_NAME = 'MEMORY.md';

const LEVELS_UP = 4;
const DEPTH_DOWN = 6;
const MOST_ENTRIES = 20_000;
const KEY_LENGTH = 200;

// Below a project or a home directory; '*' is any one name without a dot in front.
const KNOWN_PLACES: readonly (readonly string[])[] = [
  ['.claude', 'memory'],
  ['.agents', 'memory'],
  ['.cat-code', 'memory'],
  ['.claude', 'agent-memory', '*'],
  ['.claude', 'agent-memory-local', '*'],
  ['.claude', 'projects', '*', 'memory'],
];
const DOT_PLACES = new Set(KNOWN_PLACES.map((place) => place[0]));
const NEVER = new Set(['.git', 'node_modules', '__pycache__', 'venv', '.venv', 'env', 'site-packages', '.tox', '.hg']);

/** Whether an agent keeps memories in directories with such a path. */
function isKnownPlace(directory: string): boolean {
  const parts = partsOf(directory);
  return KNOWN_PLACES.some((place) => {
    const last = parts.slice(-place.length);
    return last.length === place.length && place.every((want, at) => fits(want, last[at]));
  });
}

/**
 * The memory directory that a markdown file lies in, looked for upwards; undefined when in none.
 * The file itself need not exist yet. It looks at four paths at most and answers at once, so that what is
 * decided by it keeps its order. `named` are the real paths of directories that the settings name.
 */
export function directoryOf(file: string, named: readonly string[] = []): string | undefined {
  let directory = file;
  for (let level = 0; level < LEVELS_UP; level++) {
    const parent = path.dirname(directory);
    if (parent === directory) {
      return undefined;
    }
    directory = parent;
    if (named.includes(directory) || isKnownPlace(directory) || hasIndex(directory)) {
      return directory;
    }
  }
  return undefined;
}

/**
 * The memory directories at or below `root`, nearest first, found one after the other, so that
 * who wants to know only whether there is one can stop at the first. Links are not followed; in the
 * home directory or the root of the file system only the known places are looked at.
 */
export async function* directoriesBelow(
  root: string,
  named: readonly string[] = [],
  home: string = os.homedir(),
): AsyncGenerator<string> {
  const seen = new Set<string>();
  for (const directory of named) {
    if (isAtOrBelow(directory, root) && isDirectory(directory)) {
      seen.add(directory);
      yield directory;
    }
  }
  const wide = root === home || root === path.parse(root).root;
  for await (const directory of wide ? knownPlacesBelow(root) : walk(root)) {
    if (!seen.has(directory) && (await isMemoryDirectory(directory))) {
      yield directory;
    }
  }
}

/** Whether a directory has an index, or is a known place with markdown. */
export async function isMemoryDirectory(directory: string): Promise<boolean> {
  return hasIndex(directory) || (isKnownPlace(directory) && (await holdsMarkdown(directory)));
}

/** Where Claude Code keeps the memories of the project in `folder`; the path need not exist. */
export async function projectDirectory(folder: string, home: string = os.homedir()): Promise<string> {
  const key = commonRoot(folder).replace(/[^A-Za-z0-9]/gu, '-');
  const projects = path.join(home, '.claude', 'projects');
  // Longer keys are cut and given a hash whose making is not documented: find it by what was kept.
  const kept = key.slice(0, KEY_LENGTH);
  const longer = key === kept ? [] : (await entriesOf(projects)).filter(({ name }) => name.startsWith(kept));
  return path.join(projects, longer[0]?.name ?? kept, 'memory');
}

/** The main work tree of the git repository that `folder` is in, also from a linked one; else `folder`. */
function commonRoot(folder: string): string {
  for (let directory = folder; ; directory = path.dirname(directory)) {
    const git = path.join(directory, '.git');
    if (isDirectory(git)) {
      return directory;
    }
    if (isFile(git)) {
      try {
        const pointer = path.resolve(directory, readFileSync(git, 'utf8').split('gitdir:')[1]!.trim());
        const common = readFileSync(path.join(pointer, 'commondir'), 'utf8').trim();
        return path.dirname(path.resolve(pointer, common));
      } catch {
        return directory;
      }
    }
    if (directory === path.dirname(directory)) {
      return folder;
    }
  }
}

/** The path without links, where it leads to something. */
export function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

async function* knownPlacesBelow(root: string): AsyncGenerator<string> {
  for (const place of KNOWN_PLACES) {
    let found = [root];
    for (const part of place) {
      const below: string[] = [];
      for (const parent of found) {
        const names = part === '*' ? (await entriesOf(parent)).map((each) => each.name) : [part];
        below.push(...names.map((name) => path.join(parent, name)));
      }
      found = below;
    }
    yield* found.filter(isKnownPlace);
  }
}

/** The directories below `root` worth a look, breadth first, so that a limit cuts the deepest. */
async function* walk(root: string): AsyncGenerator<string> {
  let level = [root];
  let seen = 0;
  for (let depth = 0; depth <= DEPTH_DOWN; depth++) {
    const below: string[] = [];
    for (const directory of level) {
      yield directory;
      if (depth === DEPTH_DOWN || seen > MOST_ENTRIES) {
        continue;
      }
      const entries = await entriesOf(directory);
      seen += entries.length;
      for (const entry of entries) {
        if (entry.isDirectory() && !isSkipped(directory, entry.name, root)) {
          below.push(path.join(directory, entry.name));
        }
      }
    }
    level = below;
  }
}

function isSkipped(parent: string, name: string, root: string): boolean {
  if (NEVER.has(name) || (name.startsWith('.') && !DOT_PLACES.has(name))) {
    return true;
  }
  // Inside `.claude` and the like only what leads to a known place.
  const inside = partsOf(path.relative(root, parent));
  const start = inside.findIndex((part) => DOT_PLACES.has(part));
  if (start >= 0) {
    const parts = [...inside.slice(start), name];
    const leadsOn = (place: readonly string[]) =>
      parts.every((part, at) => at >= place.length || fits(place[at], part));
    if (!KNOWN_PLACES.some(leadsOn)) {
      return true;
    }
  }
  return isFile(path.join(parent, name, 'pyvenv.cfg'));
}

function fits(want: string, part: string): boolean {
  return want === part || (want === '*' && !part.startsWith('.'));
}

function partsOf(directory: string): string[] {
  return directory.split(path.sep).filter((part) => part !== '');
}

function isAtOrBelow(directory: string, root: string): boolean {
  const relative = path.relative(root, directory);
  return relative === '' || !(partsOf(relative)[0] === '..' || path.isAbsolute(relative));
}

async function holdsMarkdown(directory: string): Promise<boolean> {
  return (await entriesOf(directory)).some((entry) => entry.name.endsWith('.md'));
}

function hasIndex(directory: string): boolean {
  return isFile(path.join(directory, INDEX_NAME));
}

async function entriesOf(directory: string): Promise<Dirent[]> {
  const entries = await fs.readdir(directory, { withFileTypes: true }).catch(() => []);
  return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
}

function isFile(file: string): boolean {
  return look(file)?.isFile() ?? false;
}

function isDirectory(directory: string): boolean {
  return look(directory)?.isDirectory() ?? false;
}

function look(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
