// Makes the README of the package, dist/README.md: VS Code shows no picture of an extension's README that is but a path.
import { readFileSync, writeFileSync } from 'node:fs';

const text = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const whole = text.replace(/\]\((media\/[\w-]+\.png)\)/g, (_, name) => {
  const picture = readFileSync(new URL(`../${name}`, import.meta.url));
  return `](data:image/png;base64,${picture.toString('base64')})`;
});
writeFileSync(new URL('../dist/README.md', import.meta.url), whole);
