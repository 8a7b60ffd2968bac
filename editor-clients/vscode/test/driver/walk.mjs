// A walk through the sample as a user's first day with the packaged extension: nothing is installed but Python, VS Code
// gets the .vsix, and each step is looked at in the browser and photographed. Ends with "walked" or exits 1.
// The pictures of media/, for the README and the walkthrough, are cut from these by scripts/pictures.mjs.
// usage: node walk.mjs HOST EXTENSION.vsix PICTURES   (with no memory-ls on the PATH)
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openPage, pageAddress, scratch, serve } from './vscode.mjs';

const [host, vsix, pictures] = process.argv.slice(2);
const sample = fileURLToPath(new URL('../../../sample', import.meta.url));
const LINK = '.view-line span:text-is("overbooking-limit")';
const DEAD_LINK = '.monaco-editor .squiggly-warning';
const ACTIVITY = '.activitybar .action-item:has([aria-label^="Memory"])';
const VIEW = '.pane:has([aria-label*="Memories"])';
const CHANGED = `${VIEW} .monaco-list-row:has-text("seat-hold"):has-text("edited")`;
const row = (text) => `${VIEW} .monaco-list-row:has-text("${text}")`;
/** What a plan would change, with a box to tick for each. */
const CHANGES = '.sidebar .monaco-list-row:has(.monaco-custom-toggle)';
const SECONDS_TO_SET_UP = 180;

const work = realpathSync(scratch());
const folder = join(work, 'sample');
const empty = join(work, 'empty');
const crashing = join(work, 'crashing');
const failing = join(work, 'failing');
cpSync(sample, folder, { recursive: true });
for (const name of ['home', 'empty']) mkdirSync(join(work, name));
mkdirSync(pictures, { recursive: true });
for (const name of readdirSync(pictures)) {
  if (/^(\d\d-.*|failed)\.(png|html)$/.test(name)) rmSync(join(pictures, name)); // of the walk before
}

let page;
let number = 0;

async function walk() {
  await openFolder('first', {}, empty);
  await withoutMemories();
  await goTo(folder);
  await step('the server sets itself up', () => see('.notifications-toasts :text("Setting up the memory-ls server")'));
  await openFile('seat-hold.md');
  await step('a dead link is underlined', () => see(DEAD_LINK, SECONDS_TO_SET_UP));
  await step('the status item tells how much there is', async () => {
    await page.click('.statusbar-item[id="status.languageStatus"]');
    await see('.hover-language-status :text("41 memories")');
    await see('.hover-language-status :text("of the load limit")');
  });
  await step('the problems of the whole directory are listed', async () => {
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+Shift+M');
    for (const text of ['MEMORY.md', 'index-dead-link', 'project_release-train.md']) {
      await see(`.markers-panel .monaco-list-row:has-text("${text}")`);
    }
  });
  await step('a name is completed', async () => {
    await page.keyboard.press('Control+Shift+M');
    await page.click('.view-line:has-text("What happens when more seats")');
    await page.keyboard.press('Control+End');
    await page.keyboard.type('See [[overb', { delay: 60 });
    await see('.suggest-widget .monaco-list-row:has-text("overbooking-limit")');
  });
  await step('and stands there as a whole link', async () => {
    await page.keyboard.press('Enter');
    await see('.view-line:has-text("See [[overbooking-limit]]")');
  });
  await step('behind a link alone stands what it is about', async () => {
    await page.keyboard.type('\n\n- [[refund-window]]', { delay: 40 });
    await page.keyboard.press('Escape');
    await see('.view-line:has-text("Refunds are free until 24 hours")');
  });
  await step('a link shows its memory when hovered', async () => {
    await page.hover(LINK);
    await see('.monaco-hover-content :text("overbooking-limit")');
  });
  await step('all that lead there are listed', async () => {
    await page.click(LINK);
    await page.keyboard.press('Shift+F12');
    await see('.reference-zone-widget .monaco-list-row:has-text("MEMORY.md")');
  });
  await step('and it leads there itself', async () => {
    await page.keyboard.press('Escape');
    await page.click(LINK);
    await page.keyboard.press('F12');
    await see('.tab.active[aria-label*="overbooking-limit.md"]');
  });
  await step('a lens counts what leads to a memory', async () => {
    await page.click('.codelens-decoration a:has-text("references")');
    await see('.reference-zone-widget .monaco-list-row:has-text("seat-hold.md")');
  });
  await step('its outline is shown', async () => {
    await page.keyboard.press('Escape');
    await page.click('.pane-header:has-text("Outline")');
    await see('.outline-tree .monaco-list-row:has-text("overbooking-limit")');
  });
  await openFile('MEMORY.md');
  await step('and that of the index', () => see('.outline-tree .monaco-list-row:has-text("Memory Index")'));
  await step('memories are found in the whole workspace', async () => {
    await page.keyboard.press('Control+T');
    await page.keyboard.type('refund', { delay: 20 });
    await see('.quick-input-list .monaco-list-row:has-text("refund-window")');
  });
  await step('a dead link has a quick fix', async () => {
    await openFile('seat-hold.md');
    await page.click('.view-line span:text-is("overbooking-limt")');
    await page.keyboard.press('Control+.');
    await see('.action-widget .monaco-list-row:has-text("overbooking-limit")');
  });
  await step('which mends it', async () => {
    await page.keyboard.press('Enter');
    await see('.view-line:has-text("more seats are held than there are: [[overbooking-limit]]")');
    await page.keyboard.press('Control+S');
    await until(() => !inMemory('seat-hold.md').includes('overbooking-limt'));
  });
  await step('a memory is renamed with its file, its links and its entry', async () => {
    await page.click(LINK);
    await page.keyboard.press('F2');
    await fill('.rename-box input', 'seat-limit');
    await until(() => existsSync(join(folder, 'memory', 'seat-limit.md')));
    await until(() => inMemory('MEMORY.md').includes('(seat-limit.md)'));
    await until(() => inMemory('seat-hold.md').includes('than there are: [[seat-limit]]'));
  });
  await step('and all of that is undone at once', async () => {
    await page.click('.view-line span:text-is("seat-limit")');
    await page.keyboard.press('Control+Z');
    await until(() => existsSync(join(folder, 'memory', 'overbooking-limit.md')));
    await see(LINK);
  });
  await step('a file that is renamed in the explorer takes its entry along', async () => {
    await page.keyboard.press('Control+K');
    await page.keyboard.press('S'); // saves all
    await openFile('refund-window.md');
    await page.click('.explorer-folders-view .monaco-list-row:has-text("refund-window.md")');
    await page.keyboard.press('F2');
    await fill('.explorer-folders-view .monaco-inputbox input', 'refund-deadline.md');
    await page.click('.monaco-dialog-box .monaco-button:text-is("OK")'); // to what goes along with the file
    await until(() => inMemory('MEMORY.md').includes('(refund-deadline.md)'));
  });
  await step('the settings are told in full', async () => {
    await choose('F1', 'Preferences: Open Settings (UI)');
    await page.keyboard.type('memoryLs.provider', { delay: 20 });
    await see('.setting-item-contents:has-text("Provider")');
  });
  await aroundTheView();
  await consolidateAndReview();
}

/** A window in which there is no memory directory. */
async function withoutMemories() {
  await step('where there are no memories the view tells what to do', async () => {
    await page.click(ACTIVITY);
    await see(`${VIEW} .welcome-view-content a:has-text("New Memory Directory Here")`);
  });
  await step('the walkthrough tells what memories are for', async () => {
    await page.click(`${VIEW} .welcome-view-content a:has-text("walkthrough")`);
    await see('.gettingStartedContainer .step-title:has-text("Consolidate a chat log")');
  });
}

/** The view of the memories, on the sample as it has become. */
async function aroundTheView() {
  await step('the memories are listed by type, with their ages and faults', async () => {
    await page.keyboard.press('Escape'); // the settings lie over all
    await page.click(ACTIVITY);
    await see(row('Feedback'));
    await see(`${row('seat-hold')}:has-text("ago")`);
  });
  await step('what another program changes is told', async () => {
    const hold = join(folder, 'memory', 'seat-hold.md');
    writeFileSync(hold, readFileSync(hold, 'utf8').replace('15 minutes', '20 minutes'));
    await see(CHANGED);
    await page.click(CHANGED);
    await see('.monaco-diff-editor .view-line:has-text("20 minutes")');
  });
  await step('and undone', async () => {
    await page.hover(CHANGED);
    await page.click(`${CHANGED} .action-label[aria-label*="Undo"]`);
    await see('.notification-toast:has-text("Undone")');
    await until(() => inMemory('seat-hold.md').includes('15 minutes'));
  });
  await step('the memories are searched while one types', async () => {
    await page.click('.sidebar .composite.title .action-label[aria-label*="Search Memories"]');
    const input = page.locator('.quick-input-widget input').first();
    await input.waitFor();
    await input.pressSequentially('refund', { delay: 20 });
    await see(`${VIEW} :text("found for “refund”")`);
    await see(row('refund-deadline'));
    await page.keyboard.press('Enter');
  });
  await step('and listed all again', async () => {
    await page.click('.sidebar .composite.title .action-label[aria-label*="Clear Search"]');
    await see(row('Feedback'));
  });
}

/** From a chat log to memories: one change is accepted and one rejected, and what is saved is undone. */
async function consolidateAndReview() {
  const before = memories();
  await step('a chat log is consolidated from the palette', async () => {
    await openFile('codex-rollout-seat-hold.jsonl');
    await choose('F1', 'Memory: Consolidate Chat Log');
    await see('.quick-input-list .monaco-list-row:has-text("This file")');
  });
  await step('what it would change is shown, with the words it comes from', async () => {
    await page.click('.quick-input-list .monaco-list-row:has-text("This file")');
    await page.locator(CHANGES).first().click();
    await see('.review-widget:has-text("of the chat")');
  });
  await step('a change is rejected', async () => {
    await page.click('.editor-actions .action-label[aria-label^="Reject Change"]');
    await see('.review-widget:has-text("Rejected")');
  });
  await step('what is accepted is saved, and nothing else', async () => {
    const accepted = await page.locator(CHANGES).count();
    await page.click('.editor-actions .action-label[aria-label^="Apply Accepted Changes"]');
    await see('.notification-toast:has-text("Memories: ")');
    await until(() => memories() !== before);
    if (accepted < 2) throw new Error('there was one change alone');
  });
  await step('and can be undone', async () => {
    await page.click('.notification-toast .monaco-button:text-is("Undo")');
    await see('.notification-toast:has-text("Undone")');
    await until(() => memories() === before);
  });
}

/** The texts of all memories. */
function memories() {
  const names = readdirSync(join(folder, 'memory'), { recursive: true }).filter((name) => name.endsWith('.md'));
  return JSON.stringify(names.sort().map((name) => [name, inMemory(name)]));
}

async function fail() {
  rmSync(folder, { recursive: true });
  cpSync(sample, folder, { recursive: true }); // with the faults that were mended
  writeFileSync(failing, "#!/bin/sh\necho 'my library is missing' >&2\nexit 1\n");
  chmodSync(failing, 0o755);
  await openFolder('second', { 'memoryLs.server.path': failing });
  await openFile('search_ranking.md');
  await step('a server that does not start is one sentence', () =>
    see('.notification-toast:has-text("does not start")'),
  );
  await openFile('seat-hold.md');
  await step('and not another for the next file', async () => {
    await page.waitForTimeout(1000);
    const count = await page.locator('.notification-toast').count();
    if (count !== 1) throw new Error(`${count} notifications`);
  });
  await step('the log tells more', async () => {
    await page.click('.notification-toast .monaco-button:has-text("Show Log")');
    await see('.output-view .view-line');
    await until(() => logOf('second').includes('my library is missing'));
  });
  await step('another program is tried when the setting changes', async () => {
    writeFileSync(crashing, `#!/bin/sh\nexec 3<&0\n'${ownPython()}' -m memory_ls serve <&3 &\nsleep 3; kill -9 $!\n`);
    chmodSync(crashing, 0o755);
    writeFileSync(machineSettings('second'), JSON.stringify({ 'memoryLs.server.path': crashing }));
    await see(DEAD_LINK);
  });
  await step('one that crashes again and again is one sentence too', () =>
    see('.notification-toast:has-text("crashed again and again")', 60),
  );
  await step('and the view tells what to do', async () => {
    await page.click(ACTIVITY);
    await see(`${VIEW} .welcome-view-content a:has-text("Restart Server")`);
  });
}

/** The Python of the server that the extension set up for itself. */
function ownPython() {
  const storage = join(work, 'first', 'user', 'User', 'globalStorage', 'memory-ls.memory-ls');
  return readFileSync(
    join(
      storage,
      readdirSync(storage).find((name) => name.endsWith('.ready')),
    ),
    'utf8',
  );
}

/** What the extension logged, all of it: of a log the view shows only the lines that fit. */
function logOf(name) {
  const logs = readdirSync(join(work, name), { recursive: true }).filter((path) => /[/\\]Memory\.log$/.test(path));
  return logs.map((path) => readFileSync(join(work, name, path), 'utf8')).join('\n');
}

async function until(holds, seconds = 30) {
  for (let left = seconds * 10; !holds(); left--) {
    if (left <= 0) throw new Error(`not within ${seconds} seconds: ${holds}`);
    await page.waitForTimeout(100);
  }
}

function inMemory(name) {
  return readFileSync(join(folder, 'memory', name), 'utf8');
}

function machineSettings(name) {
  return join(work, name, 'user', 'Machine', 'settings.json');
}

async function openFolder(name, settings, place = folder) {
  const profile = { host, vsix, state: join(work, name), home: join(work, 'home'), settings };
  const vscode = await serve(profile);
  const opened = await openPage();
  page = opened.page;
  page.closing = async () => {
    await opened.browser.close();
    vscode.stop();
  };
  page.address = vscode.address;
  await goTo(place);
}

/** Opens a folder in the VS Code that runs. */
async function goTo(place) {
  await page.goto(pageAddress(page.address, place, [['skipWelcome', 'true']]), { waitUntil: 'domcontentloaded' });
  await see('.explorer-folders-view', 60);
}

async function openFile(name) {
  const tab = page.locator(`.tab.active[aria-label*="${name}"]`).first();
  for (let tries = 0; tries < 3 && !(await tab.isVisible()); tries++) {
    // On a busy machine the list may be replaced between a look and a key.
    await choose('Control+P', name);
    await tab.waitFor({ timeout: 10_000 }).catch(() => undefined);
  }
  await tab.waitFor({ timeout: 1_000 });
}

/** Opens VS Code's list of files or commands and takes the first that `text` finds. */
async function choose(key, text) {
  const input = page.locator('.quick-input-widget input').first();
  await page.keyboard.press(key);
  await input.waitFor();
  await input.pressSequentially(text, { delay: 20 });
  await see(`.quick-input-list .monaco-list-row.focused:has-text("${text}")`);
  await page.keyboard.press('Enter');
}

/** Types a text into a field that has just been opened, and confirms it. */
async function fill(selector, text) {
  const field = page.locator(selector).first();
  await field.waitFor();
  await field.fill(text);
  await field.press('Enter');
}

function see(selector, seconds = 30) {
  return page
    .locator(selector)
    .first()
    .waitFor({ timeout: seconds * 1000 });
}

async function step(name, act) {
  number++;
  const picture = `${String(number).padStart(2, '0')}-${name.replaceAll(' ', '-')}.png`;
  try {
    await act();
  } finally {
    await page.waitForTimeout(400); // until what moves in stands still
    await page.screenshot({ path: join(pictures, picture) });
  }
  console.log(name);
}

try {
  await walk();
  await page.closing();
  await fail();
  await page.closing();
  console.log('walked');
  process.exit(0);
} catch (error) {
  console.error(error);
  await page?.screenshot({ path: join(pictures, 'failed.png') });
  writeFileSync(join(pictures, 'failed.html'), (await page?.content()) ?? '');
  process.exit(1);
}
