/** What can be offered beside a message. */
export type Remedy = 'python' | 'settings' | 'again';

/** What keeps the server from running, in a sentence for people, and what can be done about it. */
export class Trouble extends Error {
  constructor(
    message: string,
    readonly remedies: readonly Remedy[],
  ) {
    super(message);
  }
}
