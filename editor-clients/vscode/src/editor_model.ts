// The language model of VS Code as one that the server can ask: only where the user has said so.
import * as vscode from 'vscode';
import { ErrorCodes, ResponseError } from 'vscode-languageclient/node';
import { inform } from './messages';
import { SECTION } from './settings';

/** The request of the server's. */
export const COMPLETE = 'memoryLs/complete';

export interface Question {
  readonly system: string;
  readonly prompt: string;
  readonly schema: object;
}

export interface Answer {
  readonly text: string;
  readonly model: string;
}

const CONSENT = 'editorModel.allowed';

export class EditorModel {
  /** `memento` keeps what the user has said: for all windows, and once. */
  constructor(private readonly memento: vscode.Memento) {}

  /** What the user has said of it; undefined when not asked yet. */
  private get allowed(): boolean | undefined {
    return this.memento.get<boolean>(CONSENT);
  }

  /** What the server is told at its start. */
  options(): { complete?: true } {
    const isNamed = configuration().get('provider') === 'editor';
    return isThere() && (this.allowed || isNamed) ? { complete: true } : {};
  }

  /** The models that there are, of those that the setting names where it names one. */
  async models(): Promise<vscode.LanguageModelChat[]> {
    const all = isThere() ? await vscode.lm.selectChatModels() : [];
    const wanted = configuration().get<string | null>('model');
    return wanted ? all.filter(({ id, family, name }) => [id, family, name].includes(wanted)) : all;
  }

  /** Whether the question is still open whether the model may be asked. */
  isUndecided(): boolean {
    return this.allowed === undefined;
  }

  /**
   * Asks the user whether the model may be asked, and keeps the answer; undefined when they give none, or when there
   * is no model.
   */
  async askToAllow(): Promise<boolean | undefined> {
    const [model] = await this.models();
    if (!model) {
      return undefined;
    }
    const question = `May Memory ask the language model ${model.name} of ${model.vendor}?`;
    const answer = await inform(question, { modal: true, detail: SENT }, ALLOW, REFUSE);
    const allowed = answer === undefined ? undefined : answer === ALLOW;
    if (allowed !== undefined) {
      await this.memento.update(CONSENT, allowed);
    }
    return allowed;
  }

  /** The model's answer; or an error in a sentence, for the server to tell. */
  async complete(question: Question, token: vscode.CancellationToken): Promise<Answer> {
    const model = await this.choose();
    try {
      const messages = [vscode.LanguageModelChatMessage.User(asOneText(question))];
      const response = await model.sendRequest(messages, { justification: WHY }, token);
      let text = '';
      for await (const part of response.text) {
        text += part;
      }
      return { text, model: model.id };
    } catch (error) {
      throw failure(sentence(error, model.name));
    }
  }

  private async choose(): Promise<vscode.LanguageModelChat> {
    if (!this.allowed) {
      throw failure('you have not allowed it yet; “Memory: Select Provider” asks.');
    }
    const [model] = await this.models();
    if (!model) {
      throw failure(whyNoModel());
    }
    return model;
  }
}

/** Relatives of VS Code may have no language models. */
export function isThere(): boolean {
  return typeof vscode.lm?.selectChatModels === 'function';
}

/** Why there is no model to ask. */
export function whyNoModel(): string {
  const wanted = configuration().get<string | null>('model');
  return wanted
    ? `VS Code has no language model “${wanted}”; the setting memoryLs.model names it.`
    : 'VS Code has no language model; an extension such as GitHub Copilot brings some, once you are signed in.';
}

/** Models of VS Code know no system prompt, and no schema. */
function asOneText({ system, prompt, schema }: Question): string {
  return `${system}\n\n${prompt}\n\nThe answer's JSON schema:\n${JSON.stringify(schema)}`;
}

function sentence(error: unknown, model: string): string {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  if (/quota|rate.?limit/i.test(`${code} ${message}`)) {
    return `${model} is used up for now; try later, or choose another provider.`;
  }
  switch (code) {
    case 'NoPermissions':
      return `VS Code has not given Memory access to ${model}; “Manage Language Model Access” in the account menu does.`;
    case 'Blocked':
      return `${model} is blocked for Memory at the moment; try later.`;
    case 'NotFound':
      return `${model} is no longer there.`;
    default:
      return message;
  }
}

function failure(message: string): ResponseError<void> {
  return new ResponseError(ErrorCodes.InternalError, message);
}

function configuration(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration(SECTION);
}

const ALLOW = 'Allow';
const REFUSE = 'Use No Model';
const WHY = 'To look for what is worth remembering in a chat log that you have chosen.';
const SENT = [
  'When you have a chat log consolidated, the log is sent to it, with secrets replaced by [REDACTED], and with the memories that the log is about. Nothing is sent without a command of yours.',
  '“Memory: Show What Would Be Sent” shows beforehand what is sent of the log, and “Memory: Select Provider” takes back what you say here.',
].join('\n\n');
