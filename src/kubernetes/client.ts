import type { IncomingMessage } from 'node:http';
import { Agent, type AgentOptions, request as sendRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Access } from './access.ts';
import { readSecrets, type Secrets } from './credentials.ts';
import { type Action, ClusterUnreachable, RequestRefused } from './errors.ts';
import type { Status } from './types.ts';

export interface Request {
  method: 'GET' | 'POST' | 'DELETE' | 'PATCH';
  /** With the query. */
  path: string;
  action: Action;
  body?: object;
  /** Default: JSON. */
  contentType?: string;
  signal?: AbortSignal | undefined;
}

/** One request to the API server, and how it ended. */
export interface Call extends Action {
  outcome: 'ok' | 'refused' | 'unreachable';
}

/** How old credentials may be that are read from files: kubelets replace tokens long before they expire. */
const REREAD_AFTER_MS = 30_000;
/** A request that is no watch is answered within this time, or is repeated by its caller. */
const ANSWER_MS = 15_000;
const MAX_TRIES = 5;
const MAX_PAUSE_S = 30;
const MAX_SOCKETS = 64;

/**
 * Requests to the API server of a cluster. Waits as long as a 429 asks for, and sends the request again; reads token
 * and certificates again when they are old, and after an answer that they may be the cause of.
 */
export class KubernetesClient {
  readonly #access: Access;
  #secrets: Secrets | undefined;
  #agent: Agent | undefined;
  #readAt = 0;
  /** Called after each request. */
  onCall: ((call: Call) => void) | undefined;

  constructor(access: Access) {
    this.#access = access;
  }

  get server(): string {
    return this.#access.server;
  }

  /**
   * The answer of the API server.
   * @throws RequestRefused, ClusterUnreachable
   */
  async request<T>(request: Request): Promise<T> {
    const response = await this.open(request, ANSWER_MS);
    try {
      return JSON.parse(await readText(response)) as T;
    } catch (error) {
      throw new ClusterUnreachable(this.server, error);
    }
  }

  /**
   * The body of an answer as a stream.
   * @param idleMs without a byte of it for this time the connection is closed
   * @throws RequestRefused, ClusterUnreachable
   */
  async open(request: Request, idleMs: number): Promise<IncomingMessage> {
    let reread = false;
    for (let tries = 1; ; tries++) {
      let response: IncomingMessage;
      try {
        response = await this.#send(request, idleMs, reread);
      } catch (error) {
        request.signal?.throwIfAborted();
        this.onCall?.({ ...request.action, outcome: 'unreachable' });
        // the authority may have been replaced
        if (reread || !(await this.#hasChanged())) throw new ClusterUnreachable(this.server, error);
        reread = true;
        continue;
      }
      const { statusCode: status = 0 } = response;
      this.onCall?.({ ...request.action, outcome: status < 300 ? 'ok' : 'refused' });
      if (status < 300) return response;
      const body = parseStatus(await readText(response).catch(() => ''));
      if (status === 401 && !reread && (await this.#hasChanged())) {
        reread = true;
        continue;
      }
      if (status !== 429 || tries >= MAX_TRIES) throw new RequestRefused(request.action, status, body);
      const asked = Number(response.headers['retry-after'] ?? body.details?.retryAfterSeconds ?? 1);
      const seconds = Number.isFinite(asked) ? Math.min(Math.max(asked, 0.1), MAX_PAUSE_S) : 1;
      await sleep(1000 * seconds, undefined, { signal: request.signal });
    }
  }

  close(): void {
    this.#agent?.destroy();
  }

  async #send(request: Request, idleMs: number, reread: boolean): Promise<IncomingMessage> {
    const { token, agent } = await this.#credentials(reread);
    const body = request.body === undefined ? undefined : Buffer.from(JSON.stringify(request.body));
    const answered = Promise.withResolvers<IncomingMessage>();
    const sent = sendRequest(`${this.server}${request.path}`, {
      method: request.method,
      agent,
      timeout: ANSWER_MS,
      ...(request.signal === undefined ? {} : { signal: request.signal }),
      headers: {
        accept: 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        // Node sends a DELETE without its length
        ...(body === undefined
          ? {}
          : { 'content-type': request.contentType ?? 'application/json', 'content-length': body.length }),
      },
    });
    let limitMs = ANSWER_MS;
    sent.on('response', (response) => {
      limitMs = idleMs;
      response.socket.setTimeout(idleMs);
      answered.resolve(response);
    });
    sent.on('timeout', () => sent.destroy(new Error(`no answer in ${limitMs / 1000} s`)));
    sent.on('error', answered.reject);
    sent.end(body);
    return answered.promise;
  }

  async #credentials(reread: boolean): Promise<{ token: string | undefined; agent: Agent }> {
    if (this.#agent === undefined || reread || performance.now() > this.#readAt + REREAD_AFTER_MS) await this.#read();
    return { token: this.#secrets?.token, agent: this.#agent as Agent };
  }

  /** Whether the files differ from what was read. */
  async #hasChanged(): Promise<boolean> {
    const before = JSON.stringify(this.#secrets);
    await this.#read();
    return JSON.stringify(this.#secrets) !== before;
  }

  async #read(): Promise<void> {
    let secrets: Secrets;
    try {
      secrets = await readSecrets(this.#access);
    } catch (error) {
      // a kubelet is just replacing the files
      if (this.#agent === undefined) throw error;
      return;
    }
    this.#readAt = performance.now();
    const { ca, certificate, key } = secrets;
    const before = this.#secrets;
    this.#secrets = secrets;
    if (this.#agent !== undefined && before?.ca === ca && before?.certificate === certificate && before?.key === key)
      return;
    const { insecure = false, serverName } = this.#access;
    const options: AgentOptions = {
      keepAlive: true,
      maxSockets: MAX_SOCKETS,
      rejectUnauthorized: !insecure,
      ...(ca === undefined ? {} : { ca }),
      ...(certificate === undefined ? {} : { cert: certificate }),
      ...(key === undefined ? {} : { key }),
      ...(serverName === undefined ? {} : { servername: serverName }),
    };
    // requests under way keep the former agent's connections
    this.#agent = new Agent(options);
  }
}

async function readText(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

/** Proxies before an API server answer in other words. */
function parseStatus(text: string): Partial<Status> {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return text.trim() === '' ? {} : { message: text.trim().slice(0, 300) };
  }
}
