import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request that the server got. */
export interface Received {
  method: string;
  /** With the query. */
  url: URL;
  authorization: string | undefined;
  contentType: string | undefined;
  body: unknown;
}

export type Answer = (request: Received, response: ServerResponse) => void;

/** Answers that stand for a path of the API of Kubernetes, each once, the last one for ever. */
export class ApiServer {
  readonly #server: Server;
  readonly #answers = new Map<string, Answer[]>();
  readonly received: Received[] = [];

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(certificate: { key: Buffer; cert: Buffer }): Promise<ApiServer> {
    const server = createServer(certificate);
    const one = new ApiServer(server);
    server.on('request', (request, response) => void one.#answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return one;
  }

  get address(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** @param request method and path without query, such as `GET /api/v1/nodes` */
  answer(request: string, ...answers: Answer[]): void {
    this.#answers.set(request, answers);
  }

  requests(request: string): Received[] {
    return this.received.filter(({ method, url }) => `${method} ${url.pathname}` === request);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse) {
    const body = await text(request);
    const received = {
      method: request.method ?? '',
      url: new URL(request.url ?? '', this.address),
      authorization: request.headers.authorization,
      contentType: request.headers['content-type'],
      body: body === '' ? undefined : JSON.parse(body),
    };
    this.received.push(received);
    const answers = this.#answers.get(`${received.method} ${received.url.pathname}`) ?? [];
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer !== undefined) return answer(received, response);
    send(404, { kind: 'Status', message: `no answer for ${received.url.pathname}`, code: 404 })(received, response);
  }
}

export const send =
  (status: number, body: object | string, headers: Record<string, string> = {}): Answer =>
  (_, response) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
  };

/** Events of a watch, which stays open, or ends with `end`. */
export const watch =
  (...events: (object | 'end')[]): Answer =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    for (const event of events)
      if (event === 'end') response.end();
      else response.write(`${JSON.stringify(event)}\n`);
  };

/** A list, or events of a watch, at one path, as the query asks. */
export const listOrWatch = (lists: Answer[], watches: Answer[]): Answer => {
  const next = (answers: Answer[]) => (answers.length > 1 ? answers.shift() : answers[0]) as Answer;
  return (request, response) => next(request.url.searchParams.has('watch') ? watches : lists)(request, response);
};
