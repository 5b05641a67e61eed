/** Code of the error if no server answers. */
export const NO_ANSWER = 'NO_ANSWER';

/** An error that a server answered with, or that no server answered. */
export class ApiError extends Error {
  /** HTTP status; 0 without an answer. */
  readonly status: number;
  /** Stable, for programs. */
  readonly code: string;
  /** What the caller can do about it. */
  readonly hint: string | undefined;

  constructor(
    status: number,
    { code, message, hint }: { code: string; message: string; hint?: string | undefined },
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.hint = hint;
  }
}

type Parameters = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** Sends requests below one address. */
export class Connection {
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(base: string, token: string | undefined) {
    this.#base = base;
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  }

  async get<T>(path: string, parameters: Parameters = {}): Promise<T> {
    return (await (await this.#send('GET', `${path}${queryOf(parameters)}`)).json()) as T;
  }

  async post<T>(path: string, body: unknown = {}): Promise<T> {
    return (await (await this.#send('POST', path, { body: JSON.stringify(body) })).json()) as T;
  }

  async put<T>(path: string, body: unknown): Promise<T> {
    return (await (await this.#send('PUT', path, { body: JSON.stringify(body) })).json()) as T;
  }

  async delete(path: string, parameters: Parameters = {}): Promise<void> {
    await this.#send('DELETE', `${path}${queryOf(parameters)}`);
  }

  /** Yields the text of an answer as it arrives. */
  async *pieces(path: string, parameters: Parameters = {}, signal?: AbortSignal): AsyncGenerator<string, void, void> {
    const { body } = await this.#send('GET', `${path}${queryOf(parameters)}`, { ...(signal && { signal }) });
    const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
    try {
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return;
        yield value;
      }
    } finally {
      await reader.cancel().catch(() => {});
    }
  }

  async #send(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { ...this.#headers, 'content-type': 'application/json' };
    const address = this.#base + path;
    const response = await fetch(address, { method, headers, ...init }).catch((cause: unknown) => {
      if (init.signal?.aborted === true) throw cause;
      const message = `No server answers at ${this.#base}.`;
      throw new ApiError(0, { code: NO_ANSWER, message, hint: 'Start it: bingo serve DIR --port 8080' }, { cause });
    });
    if (response.ok) return response;
    const { error } = (await response.json().catch(() => ({}))) as { error?: { code: string; message: string } };
    const message = `${address} answers ${response.status} without a reason.`;
    const hint = 'Connect to the address that bingo serve printed, without a path.';
    throw new ApiError(response.status, error ?? { code: 'UNEXPECTED', message, hint });
  }
}

function queryOf(parameters: Parameters): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    for (const one of [value ?? []].flat()) query.append(name, String(one));
  return query.size === 0 ? '' : `?${query}`;
}
