import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Program: the ceiling of the benchmark `tiles-cached`, a server of Node alone that sends the same bytes and headers
 * and checks, counts and logs nothing. Argument: a JSON file `{ path: { headers: [name, value, …], body: base64 } }`.
 * Sends its address as an IPC message, and stops on SIGTERM.
 */
const stored: Record<string, { headers: string[]; body: string }> = JSON.parse(readFileSync(process.argv[2]!, 'utf8'));
const answers = new Map(
  Object.entries(stored).map(([path, { headers, body }]) => [path, { headers, body: Buffer.from(body, 'base64') }]),
);
const server = createServer((request, response) => {
  const answer = answers.get(request.url!)!;
  response.writeHead(200, answer.headers);
  response.end(answer.body);
});
process.once('SIGTERM', () => process.exit());
server.listen(0, '127.0.0.1', () =>
  process.send?.({ address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
);
