// What VS Code calls to run the tests: it waits for the promise and takes a rejection for a failure.
import { appendFileSync } from 'node:fs';
import { format } from 'node:util';
import Mocha from 'mocha';
import { report, suite } from './workspace';

const SUITES: Record<string, () => Promise<unknown>> = {
  extension: () => import('./extension.test'),
  writing: () => import('./writing.test'),
  consolidate: () => import('./consolidate.test'),
  commands: () => import('./commands.test'),
  providers: () => import('./providers.test'),
  pythonless: () => import('./pythonless.test'),
  bare: () => import('./bare.test'),
  review: () => import('./review.test'),
  markdown: () => import('./markdown.test'),
  memories: () => import('./memories.test'),
  untrusted: () => import('./untrusted.test'),
};

export async function run(): Promise<void> {
  const mocha = new Mocha({ ui: 'bdd', timeout: 30_000, slow: 2_000, reporter: 'spec', color: false, bail: true });
  // The console of an extension host is full of other things.
  Mocha.reporters.Base.consoleLog = (...words: unknown[]) => appendFileSync(report, format(...words) + '\n');
  mocha.suite.emit('pre-require', globalThis as unknown as Mocha.MochaGlobals, '', mocha);
  await SUITES[suite]!();
  const failures = await new Promise<number>((resolve) => mocha.run(resolve));
  if (failures > 0) {
    throw new Error(`${failures} failed`);
  }
}
