// Text of others in labels and messages is text alone.
import * as assert from 'node:assert/strict';
import { test } from 'node:test';
import { plain } from '../../src/words';

test('text of others makes neither an icon nor a link that runs a command', () => {
  assert.equal(plain('$(flame) [go](command:x)'), '$\u200b(flame) [go]\u200b(command:x)');
});
