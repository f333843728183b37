import type { LoginAnswer } from './answers.ts';

/** An answer that is not 2xx, with the sentence of the problem. */
export class Refused extends Error {
  readonly status: number;
  constructor(status: number, sentence: string) {
    super(sentence);
    this.status = status;
  }
}

export interface Credentials {
  readonly id: string;
  readonly password: string;
  readonly otp?: string;
  readonly otpAuthenticator?: string;
}

interface Tokens {
  readonly access: string;
  readonly refresh: string;
}

/**
 * Calls the API with the signature of the page's address, or with the tokens of a login. Tokens are kept in the memory
 * of this page only: neither in the address nor in a store of the browser.
 */
export class Api {
  readonly #base: string;
  #signature: string;
  #tokens: Tokens | undefined;
  #refreshing: Promise<boolean> | undefined;

  constructor(base: string, signature: string) {
    this.#base = base;
    this.#signature = signature;
  }

  get signed(): boolean {
    return this.#signature !== '';
  }
  get loggedIn(): boolean {
    return this.#tokens !== undefined;
  }

  /** Drops the signature: later requests are those of an account. */
  dropSignature(): void {
    this.#signature = '';
  }

  /** @throws Refused for an answer that is not 2xx */
  async get(path: string, options: { signal?: AbortSignal; accept?: string } = {}): Promise<Response> {
    let answer = await this.#send(path, options);
    if (answer.status === 401 && (await this.#refresh())) answer = await this.#send(path, options);
    if (!answer.ok) throw await toRefused(answer);
    return answer;
  }

  async json<T>(path: string, signal?: AbortSignal): Promise<T> {
    const answer = await this.get(path, { accept: 'application/json', ...(signal && { signal }) });
    return (await answer.json()) as T;
  }

  /** @returns the authenticators of which a code is needed; undefined after a login */
  async login(credentials: Credentials): Promise<readonly string[] | undefined> {
    const answer = await this.#post('api/tokens', credentials);
    if (!answer.ok) throw await toRefused(answer);
    const body = (await answer.json()) as LoginAnswer;
    if (!('accessToken' in body)) {
      if (body.accessForbidden) throw new Refused(403, 'This account may not log in from this network.');
      return body.otpAuthenticatorIds;
    }
    this.#tokens = { access: body.accessToken.token, refresh: body.refreshToken.token };
    return undefined;
  }

  #send(path: string, { signal, accept }: { signal?: AbortSignal; accept?: string }): Promise<Response> {
    const headers = new Headers(accept === undefined ? {} : { accept });
    if (this.#tokens !== undefined) headers.set('authorization', `Bearer ${this.#tokens.access}`);
    const query = this.#signature === '' ? '' : `${path.includes('?') ? '&' : '?'}${this.#signature}`;
    return fetch(`${this.#base}${path}${query}`, { headers, credentials: 'omit', ...(signal && { signal }) });
  }

  #post(path: string, body: unknown): Promise<Response> {
    return fetch(`${this.#base}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      credentials: 'omit',
    });
  }

  /** One exchange, however many requests wait for it: a refresh token works once. */
  #refresh(): Promise<boolean> {
    if (this.#tokens === undefined) return Promise.resolve(false);
    this.#refreshing ??= this.#exchange(this.#tokens.refresh).finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #exchange(token: string): Promise<boolean> {
    const answer = await this.#post('api/tokens/refresh', token);
    const body = answer.ok ? ((await answer.json()) as LoginAnswer) : undefined;
    this.#tokens =
      body !== undefined && 'accessToken' in body
        ? { access: body.accessToken.token, refresh: body.refreshToken.token }
        : undefined;
    return this.#tokens !== undefined;
  }
}

async function toRefused(answer: Response): Promise<Refused> {
  const problem = (await answer.json().catch(() => ({}))) as { detail?: string; title?: string };
  return new Refused(answer.status, problem.detail ?? problem.title ?? `The server answered ${answer.status}.`);
}

/** Whether a request was given up by the page itself. */
export const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';
