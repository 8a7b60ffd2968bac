// The key for Anthropic's API, kept in VS Code's secret storage: in no setting, no log and no output.
import * as vscode from 'vscode';
import { fail, inform, warn } from './messages';

const NAME = 'apiKey.anthropic';

export class ApiKey {
  constructor(private readonly secrets: vscode.SecretStorage) {}

  /** What the server is told of it at its start. */
  async options(): Promise<{ apiKeys?: { anthropic: string } }> {
    // A storage that can't be opened, as without a keyring, is as good as an empty one.
    const key = await Promise.resolve(this.secrets.get(NAME)).catch(() => undefined);
    return key ? { apiKeys: { anthropic: key } } : {};
  }

  /** Whenever it has changed, in this window or another. */
  onDidChange(changed: () => unknown): vscode.Disposable {
    return this.secrets.onDidChange(({ key }) => key === NAME && changed());
  }

  /** Asks for the key and keeps it; an empty one removes what was kept. Tells whether there is one after. */
  async ask(): Promise<boolean> {
    const has = (await this.options()).apiKeys !== undefined;
    const given = await vscode.window.showInputBox({
      title: 'Set API Key',
      prompt: has
        ? 'A key is kept already: a new one takes its place. Leave this empty to remove it.'
        : 'The key for Anthropic’s API. It is kept in VS Code’s secret storage.',
      placeHolder: 'sk-ant-…',
      password: true,
      ignoreFocusOut: true,
    });
    if (given === undefined) {
      return has;
    }
    const key = given.trim();
    try {
      return key === '' ? await this.remove(has) : await this.keep(key);
    } catch {
      void fail(
        'VS Code could not open its secret storage. Set ANTHROPIC_API_KEY in the environment that VS Code starts in instead.',
      );
      return has;
    }
  }

  private async keep(key: string): Promise<boolean> {
    await this.secrets.store(NAME, key);
    void inform('The API key is kept, and the server was told.');
    return true;
  }

  private async remove(has: boolean): Promise<boolean> {
    if (!has) {
      void inform('No API key is kept, and none was given.');
      return false;
    }
    const question = 'Remove the API key from VS Code’s secret storage?';
    if ((await warn(question, { modal: true }, 'Remove')) !== 'Remove') {
      return true;
    }
    await this.secrets.delete(NAME);
    void inform('The API key was removed.');
    return false;
  }
}
