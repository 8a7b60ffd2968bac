// Cuts the pictures of the README and of the walkthrough from those that the walk through the sample has left, and puts
// them into media/. usage: node pictures.mjs PICTURES
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openPage } from '../test/driver/vscode.mjs';

// By name: the step of the walk, and what is cut from its picture.
const CUTS = {
  check: ['a dead link has a quick fix', { x: 352, y: 180, width: 830, height: 250 }],
  complete: ['a name is completed', { x: 352, y: 411, width: 830, height: 149 }],
  consolidate: ['a chat log is consolidated from the palette', { x: 330, y: 0, width: 640, height: 130 }],
  review: ['what it would change is shown, with the words it comes from', { x: 352, y: 70, width: 924, height: 390 }],
  provider: ['the settings are told in full', { x: 330, y: 215, width: 800, height: 130 }],
  memories: ['what another program changes is told', { x: 4, y: 36, width: 1180, height: 230 }],
};

const [pictures] = process.argv.slice(2);
const { browser, page } = await openPage();
for (const [name, [step, clip]] of Object.entries(CUTS)) {
  const file = readdirSync(pictures).find((each) => each.endsWith(`-${step.replaceAll(' ', '-')}.png`));
  if (!file) throw new Error(`the walk left no picture of: ${step}`);
  const data = readFileSync(join(pictures, file)).toString('base64');
  await page.setContent(`<body style="margin: 0"><img src="data:image/png;base64,${data}"></body>`);
  await page.locator('img').waitFor();
  await page.screenshot({ path: fileURLToPath(new URL(`../media/${name}.png`, import.meta.url)), clip });
}
await browser.close();
