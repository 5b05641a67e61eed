import { STATUS_CODES } from 'node:http';
import { type CanonicalUrl, type Config, canonicalize } from '../core/index.ts';
import { AccessList, type HostAccess } from './access/host-access.ts';
import { NamedOrigin, type NamedOriginAnswer } from './service-request.ts';

/** What a server of models answered: JSON, or a sentence that says why it is missing. */
export type ModelReply =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly why: string };

/** Options of {@link ModelServer}. */
export interface ModelServerOptions {
  readonly network: Config['network'];
  /** Header fields of the user, such as a key, are sent to the server's host. */
  readonly access?: readonly HostAccess[] | undefined;
  /** Time limit of a request. Default: 60 s. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 60_000;
const MAX_BYTES = 4 * 1024 * 1024;

/** A server with the interface of OpenAI, which the user names. It alone is asked; redirects are not followed. */
export class ModelServer {
  readonly #base: string;
  readonly #origin: NamedOrigin;
  readonly #access: AccessList;
  #isClosed = false;

  /** @param base address that ends with the version, such as `http://127.0.0.1:11434/v1` */
  constructor(base: string, { network, access = [], timeoutMs = TIMEOUT_MS }: ModelServerOptions) {
    this.#base = base.replace(/\/+$/, '');
    const userAgent = network.contact === '' ? network.userAgent : `${network.userAgent} (${network.contact})`;
    this.#origin = new NamedOrigin(base, { userAgent, timeoutMs, maxBytes: MAX_BYTES, network });
    this.#access = new AccessList(access);
  }

  /** Returns the names of the models that the server lists. */
  async models(): Promise<readonly string[] | Extract<ModelReply, { readonly kind: 'failed' }>> {
    const reply = await this.#send('/models', undefined);
    if (reply.kind === 'failed') return reply;
    const { data } = recordOf(reply.value);
    return Array.isArray(data) ? data.flatMap((model: unknown) => stringOf(recordOf(model).id)) : [];
  }

  /** Sends a request to an endpoint such as `/chat/completions`. Never rejects. */
  async post(path: string, body: object): Promise<ModelReply> {
    return await this.#send(path, JSON.stringify(body));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#origin.close();
  }

  async #send(path: string, json: string | undefined): Promise<ModelReply> {
    const url = canonicalize(this.#base + path);
    if (url === undefined || this.#isClosed) return { kind: 'failed', why: 'The server is not asked any more.' };
    const headers = this.#access.fieldsFor(url);
    return replyOf(await this.#origin.ask(url, { accept: 'application/json', headers, json, redirects: 0 }), url);
  }
}

function replyOf(answer: NamedOriginAnswer, url: CanonicalUrl): ModelReply {
  const failed = (why: string): ModelReply => ({ kind: 'failed', why });
  switch (answer.kind) {
    case 'unanswered':
      return failed(`${url} cannot be reached: ${answer.detail}.`);
    case 'broken-off':
      return failed(`${url} broke off its answer: ${answer.detail}.`);
    case 'too-large':
      return failed(`${url} sent more than ${MAX_BYTES / 2 ** 20} MiB.`);
    case 'answer': {
      const { status, body } = answer;
      if (status < 200 || status >= 300)
        return failed(`${url} answers ${`${status} ${STATUS_CODES[status] ?? ''}`.trim()}.`);
      try {
        return { kind: 'json', value: JSON.parse(Buffer.from(body).toString('utf8')) as unknown };
      } catch {
        return failed(`${url} sent something that is not JSON.`);
      }
    }
  }
}

/** Returns the fields of a JSON object; none for any other value. */
function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function stringOf(value: unknown): string[] {
  return typeof value === 'string' && value !== '' ? [value] : [];
}
