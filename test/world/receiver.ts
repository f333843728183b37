import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Received {
  headers: IncomingMessage['headers'];
  body: string;
  at: number;
}

/** A webhook receiver. */
export interface Receiver {
  url: string;
  /** `host:port`, for `outbound.allow`. */
  place: string;
  /** All requests, regardless of their answers. */
  received: Received[];
  /** Maximum number of concurrent requests so far. */
  most: number;
  close(): Promise<void>;
}

export type Answering = (request: Received, response: ServerResponse, count: number) => void | Promise<void>;

export const answerWith =
  (status: number): Answering =>
  (_request, response) =>
    void response.writeHead(status).end();

/** @param answer called for each request, with the number of earlier ones */
export async function openReceiver(answer: Answering = answerWith(204), port = 0): Promise<Receiver> {
  const received: Received[] = [];
  const open = new Set<IncomingMessage>();
  const receiver: Receiver = { url: '', place: '', received, most: 0, close };
  const server = createServer(async (request, response) => {
    open.add(request);
    response.once('close', () => open.delete(request));
    // those that have gone may not be closed yet
    const waiting = [...open].filter(({ socket }) => !socket.readableEnded && !socket.destroyed);
    receiver.most = Math.max(receiver.most, waiting.length);
    const one = { headers: request.headers, body: await text(request).catch(() => ''), at: Date.now() };
    received.push(one);
    await answer(one, response, received.length - 1);
  });
  async function close() {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  receiver.place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  receiver.url = `http://${receiver.place}/hook`;
  return receiver;
}
