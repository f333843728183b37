import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from './s3rver.ts';

/** An S3 bucket behind a proxy that can stop answering. */
export interface SilentBucket {
  /** Value for the setting `blobs.url`. */
  url: string;
  /** Folder of the bucket's objects. */
  folder: string;
  /** From now on, matching requests are not answered. Returns the array to which they are added. */
  silence(kind: (request: IncomingMessage) => boolean): IncomingMessage[];
  close(): Promise<void>;
}

export async function openSilentBucket(): Promise<SilentBucket> {
  const root = await mkdtemp(join(tmpdir(), 'platform-bucket-'));
  const configureBuckets = [{ name: 'blobs', configs: [] }];
  const server = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory: root, configureBuckets });
  const { port } = await server.run();
  let isSilent = (_: IncomingMessage) => false;
  let unanswered: IncomingMessage[] = [];
  const gate = createServer((request, response) => {
    if (isSilent(request)) {
      unanswered.push(request);
      request.resume();
      return;
    }
    const { method, url, headers } = request;
    const passed = send({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    request.pipe(passed);
  });
  await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve));
  return {
    url: `s3://S3RVER:S3RVER@127.0.0.1:${(gate.address() as AddressInfo).port}/blobs?tls=false`,
    folder: join(root, 'blobs'),
    silence(kind) {
      isSilent = kind;
      unanswered = [];
      return unanswered;
    },
    async close() {
      gate.closeAllConnections();
      await new Promise((resolve) => gate.close(resolve));
      await server.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}
