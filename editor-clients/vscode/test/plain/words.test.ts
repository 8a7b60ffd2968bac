// Text of others in labels and messages is text alone.
import * as assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstOf, inOrder, plain, sentence } from '../../src/words';

test('text of others makes neither an icon nor a link that runs a command', () => {
  assert.equal(plain('$(flame) [go](command:x)'), '$\u200b(flame) [go]\u200b(command:x)');
});

test('text of others is read in the order in which it is written', () => {
  assert.equal(plain('שלום\u202egnp.exe'), 'שלוםgnp.exe');
  assert.equal(inOrder('\u2067a\u2069 مرحبا $('), 'a مرحبا $(');
});

test('of many names the first are told, and how many more there are', () => {
  assert.equal(firstOf(['a', '漢', 'c', 'd']), 'a, 漢, c, d');
  assert.equal(firstOf(['a', '漢', 'c', 'd', 'e', 'f']), 'a, 漢, c, d and 2 more');
});

test('a title that is told as a sentence ends once', () => {
  assert.deepEqual(['Undone: Add a', 'Undone: Write aaaa…', 'Fertig。'].map(sentence), [
    'Undone: Add a.',
    'Undone: Write aaaa…',
    'Fertig。',
  ]);
});
