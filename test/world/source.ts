import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';

/** Answers the n-th request (from 0) to its path. */
export type Sending = (request: IncomingMessage, response: ServerResponse, n: number) => void;

/** An HTTP server for files that the platform fetches, with a handler per path. */
export interface Source {
  /** `host:port`, for `outbound.allow`. */
  place: string;
  url(path: string): string;
  /** Sets the handler of a path. Returns the array to which its requests are added. */
  serve(path: string, send: Sending): IncomingMessage[];
  /** Number of connections so far. */
  connections(): number;
  /** Number of open connections. */
  open(): number;
  close(): Promise<void>;
}

interface SourceOptions {
  host?: string;
  port?: number;
  /** Creates the server, such as one with TLS. Default: plain HTTP. */
  make?: (listener: RequestListener) => Server;
}

export async function openSource({ host = '127.0.0.1', port = 0, make }: SourceOptions = {}): Promise<Source> {
  const paths = new Map<string, { send: Sending; requests: IncomingMessage[] }>();
  const sockets = new Set<Socket>();
  let connections = 0;
  const listener: RequestListener = (request, response) => {
    const found = paths.get(new URL(request.url ?? '', 'http://x').pathname);
    if (!found) return void response.writeHead(404).end();
    found.requests.push(request);
    found.send(request, response, found.requests.length - 1);
  };
  const server = make ? make(listener) : createServer(listener);
  server.on('connection', (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('It listens nowhere.');
  const place = `${address.family === 'IPv6' ? `[${host}]` : host}:${address.port}`;
  return {
    place,
    url: (path) => `${make ? 'https' : 'http'}://${place}${path}`,
    serve(path, send) {
      const requests: IncomingMessage[] = [];
      paths.set(path, { send, requests });
      return requests;
    },
    connections: () => connections,
    open: () => sockets.size,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** `bytes=5-` → 5. */
export const firstByte = (request: IncomingMessage) =>
  Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);

/**
 * Sends `content`, or the requested range if the request's If-Range matches `etag`. Drops the connection before byte
 * `cut`.
 */
export function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  content: Buffer,
  { etag, cut = content.length }: { etag?: string; cut?: number } = {},
): void {
  const from = etag !== undefined && request.headers['if-range'] === etag ? firstByte(request) : 0;
  response.writeHead(from > 0 ? 206 : 200, {
    'content-length': content.length - from,
    ...(etag === undefined ? {} : { etag }),
    ...(from > 0 ? { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` } : {}),
  });
  if (cut >= content.length) response.end(content.subarray(from));
  else response.write(content.subarray(from, cut), () => setTimeout(() => response.destroy(), 20));
}
