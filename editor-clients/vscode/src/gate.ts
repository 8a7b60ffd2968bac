// Lets only the documents of memory directories through to the server, and only questions about these. VS Code
// asks a language client about every markdown file; all other files of the user's are none of the server's business.
import * as vscode from 'vscode';
import {
  BaseLanguageClient,
  DidCloseTextDocumentNotification,
  DidOpenTextDocumentNotification,
  DocumentDiagnosticRequest,
  DocumentSelector,
  Middleware,
} from 'vscode-languageclient/node';

/** What VS Code asks the client about; the gate decides further. A document without a file belongs nowhere. */
export const MARKDOWN: DocumentSelector = [{ scheme: 'file', pattern: '**/*.md' }];

export class Gate {
  private readonly passed = new Set<string>();

  constructor(private readonly belongs: (file: vscode.Uri) => boolean) {}

  readonly middleware: Pick<Middleware, 'sendNotification' | 'sendRequest'> = {
    sendNotification: async (type, next, params) => {
      const method = typeof type === 'string' ? type : type.method;
      if (this.passes(method, documentOf(params))) {
        await next(type as string, params);
      }
    },
    sendRequest: async (type, param, token, next) => {
      const uri = documentOf(param);
      if (uri !== undefined && !this.passed.has(uri)) {
        return null as never; // as a server answers that has nothing to say
      }
      return next(type, param, token);
    },
  };

  /** Tells the server of open documents whose directory has become a memory directory. */
  async openMore(client: BaseLanguageClient): Promise<void> {
    const converter = client.code2ProtocolConverter;
    const more = vscode.workspace.textDocuments.filter(
      (document) =>
        vscode.languages.match(MARKDOWN as vscode.DocumentSelector, document) > 0 &&
        !this.passed.has(converter.asUri(document.uri)) &&
        this.belongs(document.uri),
    );
    for (const document of more) {
      await client.sendNotification(DidOpenTextDocumentNotification.type, converter.asOpenTextDocumentParams(document));
    }
    if (more.length > 0) {
      client.getFeature(DocumentDiagnosticRequest.method)?.refresh();
    }
  }

  private passes(method: string, uri: string | undefined): boolean {
    if (uri === undefined) {
      return true;
    }
    if (method === DidOpenTextDocumentNotification.method && this.belongs(vscode.Uri.parse(uri))) {
      this.passed.add(uri);
    }
    const passes = this.passed.has(uri);
    if (method === DidCloseTextDocumentNotification.method) {
      this.passed.delete(uri);
    }
    return passes;
  }
}

function documentOf(params: unknown): string | undefined {
  return (params as { textDocument?: { uri?: string } } | undefined)?.textDocument?.uri;
}
