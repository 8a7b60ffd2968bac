// What the server answers to commands that write memories.
import { ResponseError } from 'vscode-languageclient/node';

/** What the server wrote, or would write. */
export interface Written {
  /** Nothing, where all is as it was. */
  readonly journalId: string | null;
  readonly title: string;
  readonly directory: string;
  readonly added: readonly string[];
  /** Relative to the directory. */
  readonly files: readonly string[];
  /** The new paths of files, by their old ones. */
  readonly renamed: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
}

/** Why no memory can be called so, in the words of the server; `probe` asks it. */
export async function whyNot(name: string, probe: () => Promise<Written>): Promise<string | undefined> {
  if (name.trim() === '') {
    return 'A memory needs a name.';
  }
  try {
    await probe();
    return undefined;
  } catch (error) {
    return error instanceof ResponseError ? error.message : undefined;
  }
}
