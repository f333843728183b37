import { setTimeout as sleep } from 'node:timers/promises';
import type { Platform } from './platform.ts';

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test says itself what it expects
  body: any;
}

/**
 * Calls the API as a careful program does: whatever has no answer, or one that says "not now", is sent again under the
 * same key.
 */
export interface Client {
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  put(url: string, body: Buffer): Promise<Answer>;
  putJson(path: string, body: unknown, key: string): Promise<Answer>;
  /** @param key of this very request, however often it is sent */
  post(path: string, body: unknown, key: string, headers?: Record<string, string>): Promise<Answer>;
  /** Requests that were sent again. */
  readonly repeats: number;
  /** How often each answer, or none, made the client repeat a request. */
  readonly troubles: ReadonlyMap<string, number>;
}

const PATIENCE_MS = 300_000;
const ANSWER_MS = 30_000;

export function clientOf(platform: Pick<Platform, 'address' | 'token'>): Client {
  let repeats = 0;
  const troubles = new Map<string, number>();
  async function send(
    method: string,
    path: string,
    body: string | Uint8Array<ArrayBuffer> | undefined,
    more: Record<string, string>,
  ) {
    const headers = { authorization: `Bearer ${platform.token}`, ...more };
    const deadline = Date.now() + PATIENCE_MS;
    for (let why = ''; ; repeats++) {
      try {
        const signal = AbortSignal.timeout(ANSWER_MS);
        const answer = await fetch(new URL(path, platform.address), { method, body: body ?? null, headers, signal });
        const text = await answer.text();
        if (!isForLater(answer.status, text)) return { status: answer.status, body: parsed(text) };
        why = `${answer.status} ${text}`;
      } catch (error) {
        why = String((error as Error).cause ?? error);
      }
      const trouble = /^\d+ .*?"(?:code|title)":"(.*?)"/.exec(why);
      const kind = trouble ? `${why.slice(0, 3)} ${trouble[1]}` : why.slice(0, 80);
      troubles.set(kind, (troubles.get(kind) ?? 0) + 1);
      if (Date.now() > deadline) throw new Error(`${method} ${path} has no answer: ${why}`);
      await sleep(200);
    }
  }
  const sendJson = (method: string, path: string, body: unknown, key: string, headers: Record<string, string> = {}) =>
    send(method, path, JSON.stringify(body), {
      'content-type': 'application/json',
      'idempotency-key': key,
      ...headers,
    });
  return {
    get: (path, headers = {}) => send('GET', path, undefined, headers),
    put: (url, body) => send('PUT', new URL(url).pathname + new URL(url).search, new Uint8Array(body), {}),
    putJson: (path, body, key) => sendJson('PUT', path, body, key),
    post: (path, body, key, headers) => sendJson('POST', path, body, key, headers),
    troubles,
    get repeats() {
      return repeats;
    },
  };
}

const isForLater = (status: number, text: string) =>
  status >= 500 || status === 429 || (status === 409 && text.includes('StillRunning'));

function parsed(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
