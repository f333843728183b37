import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

/** A recorded request. */
export interface Recorded {
  method: string;
  path: string;
  /** Names of the query parameters, without duplicates. */
  query: string[];
  /** Parsed JSON, otherwise undefined. */
  body: unknown;
}

/** A proxy that records requests to a server. */
export interface Recorder {
  url: string;
  /** Requests since the last call. */
  take(): Recorded[];
  close(): Promise<void>;
}

export async function record(target: string): Promise<Recorder> {
  let seen: Recorded[] = [];
  const server = createServer((incoming, answer) => {
    const { pathname, searchParams } = new URL(incoming.url ?? '/', target);
    const body: Buffer[] = [];
    incoming.on('data', (chunk) => body.push(chunk));
    const json = /\bjson\b/.test(incoming.headers['content-type'] ?? '');
    const onward = request(`${target}${incoming.url}`, { method: incoming.method ?? 'GET', headers: incoming.headers });
    onward.on('response', (response) => {
      seen.push({
        method: incoming.method ?? '',
        path: pathname,
        query: [...new Set(searchParams.keys())],
        body: json ? JSON.parse(Buffer.concat(body).toString()) : undefined,
      });
      answer.writeHead(response.statusCode ?? 500, response.headers);
      pipeline(response, answer, () => {});
    });
    onward.on('error', () => answer.destroy());
    answer.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take() {
      const taken = seen;
      seen = [];
      return taken;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
