// Draws media/icon.png, which the marketplace wants in place of a drawing, from media/icon.svg.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openPage } from '../test/driver/vscode.mjs';

const media = new URL('../media/', import.meta.url);
const { browser, page } = await openPage();
await page.setContent(`<body style="margin: 0">${readFileSync(new URL('icon.svg', media), 'utf8')}</body>`);
await page.locator('svg').screenshot({ path: fileURLToPath(new URL('icon.png', media)), omitBackground: true });
await browser.close();
