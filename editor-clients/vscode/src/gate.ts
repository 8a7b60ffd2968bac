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
  /** The open documents that the server was told of, and those that it was not. */
  private readonly passed = new Set<string>();
  private readonly held = new Set<string>();

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
      ({ uri }) => this.held.has(converter.asUri(uri)) && this.belongs(uri),
    );
    for (const document of more) {
      const params = converter.asOpenTextDocumentParams(document);
      await client.sendNotification(DidOpenTextDocumentNotification.type, params);
    }
    if (more.length > 0) {
      client.getFeature(DocumentDiagnosticRequest.method)?.refresh();
    }
  }

  private passes(method: string, uri: string | undefined): boolean {
    if (uri === undefined) {
      return true;
    }
    if (method === DidOpenTextDocumentNotification.method) {
      const belongs = this.belongs(vscode.Uri.parse(uri));
      this.forget(uri);
      (belongs ? this.passed : this.held).add(uri);
      return belongs;
    }
    const passes = this.passed.has(uri);
    if (method === DidCloseTextDocumentNotification.method) {
      this.forget(uri);
    }
    return passes;
  }

  private forget(uri: string): void {
    this.passed.delete(uri);
    this.held.delete(uri);
  }
}

function documentOf(params: unknown): string | undefined {
  return (params as { textDocument?: { uri?: string } } | undefined)?.textDocument?.uri;
}
