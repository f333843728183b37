import { once } from 'node:events';
import { type IncomingMessage, type RequestOptions, request, type Server, type ServerResponse } from 'node:http';

/** A response whose client has left. */
export interface LeftResponse {
  response: ServerResponse;
  /** Resolves when the server begins to send a stream as the answer. */
  streams: Promise<unknown>;
}

/**
 * Sends requests to a server of this process, and closes their connections when they have arrived: before the server
 * gets an answer from its database.
 */
export async function leaveEarly(
  server: Server,
  url: string,
  options: RequestOptions,
  count = 1,
): Promise<LeftResponse[]> {
  const { pathname, search } = new URL(url);
  const left: LeftResponse[] = [];
  const leave = (arrived: IncomingMessage, response: ServerResponse) => {
    if (arrived.url !== pathname + search) return;
    left.push({ response, streams: once(response, 'pipe') });
    setImmediate(() => arrived.socket.destroy());
  };
  const send = () =>
    new Promise<void>((resolve) => {
      const sent = request(url, { ...options, agent: false });
      sent.on('error', () => {}).on('close', resolve);
      sent.end();
    });
  server.prependListener('request', leave);
  await Promise.all(Array.from({ length: count }, send));
  server.off('request', leave);
  return left;
}
