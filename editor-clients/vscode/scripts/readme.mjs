// Makes the README of the package, dist/README.md, without the pictures: VS Code shows those of an extension from the
// web alone, neither by path nor as data, and this extension has no place there. The walkthrough has pictures.
import { readFileSync, writeFileSync } from 'node:fs';

const text = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
writeFileSync(new URL('../dist/README.md', import.meta.url), text.replace(/^!\[.*\]\(media\/.*\)\n\n/gm, ''));
