import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import test from 'ava';
import { world } from '../world.ts';

const w = world(test, { 'uploads.maxSize': '1000000' });

const CHUNK = Buffer.alloc(65_536, ' ');
const chunked = Buffer.concat([Buffer.from(`${CHUNK.length.toString(16)}\r\n`), CHUNK, Buffer.from('\r\n')]);

/**
 * Sends a head and a body as many clients do: reads nothing before all is sent. Returns what came back.
 * @param close whether the client ends the connection when it has an answer
 */
async function sendAll(head: string, bytes: number, isChunked = false): Promise<string> {
  if (!w.app.server.listening) await w.listen();
  const { port } = w.app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const body = isChunked ? chunked : CHUNK;
  const length = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${bytes}`;
  socket.write(`${head}\r\nHost: a\r\n${length}\r\nConnection: close\r\n\r\n`);
  for (let sent = 0; sent < bytes; sent += CHUNK.length) {
    const rest = isChunked ? body : body.subarray(0, bytes - sent);
    if (!socket.write(rest)) await once(socket, 'drain');
  }
  if (isChunked) socket.write('0\r\n\r\n');
  return text(socket);
}

test.serial('A client that reads only after sending its whole body gets the error for a refused body', async (t) => {
  const administrator = w.as(await w.administrator());
  const token = `Authorization: Bearer ${await w.tokenOf(await w.administrator())}`;
  const json = 'Content-Type: application/json';
  const { pathname, search } = new URL((await administrator.get('/api/conversion/transfer/upload-url')).body.data);
  const blob = `PUT ${pathname}${search} HTTP/1.1`;
  const size = 30_000_000;
  t.regex(
    await sendAll(`POST /api/metadata/project HTTP/1.1\r\n${json}\r\n${token}`, size),
    /^HTTP\/1\.1 413 [\s\S]*}$/,
  );
  t.regex(await sendAll(`POST /api/metadata/project HTTP/1.1\r\n${json}\r\n${token}`, size, true), /^HTTP\/1\.1 413 /);
  t.regex(await sendAll(`POST /api/metadata/project HTTP/1.1\r\n${json}`, size), /^HTTP\/1\.1 401 /);
  t.regex(await sendAll('POST /api/nothing HTTP/1.1', size), /^HTTP\/1\.1 404 /);
  t.regex(await sendAll(`PUT /api/tokens HTTP/1.1\r\n${json}`, size, true), /^HTTP\/1\.1 405 /);
  t.regex(await sendAll(blob, size), /^HTTP\/1\.1 413 [\s\S]*}$/);
  t.regex(await sendAll(blob, size, true), /^HTTP\/1\.1 413 [\s\S]*}$/);
  t.regex(await sendAll(blob.replace('sig=', 'sig=0'), size), /^HTTP\/1\.1 403 /);
  t.regex(await sendAll(`${blob.replace(' HTTP', '&comp=block&blockid=%21 HTTP')}`, 900_000, true), /^HTTP\/1\.1 400 /);
});

test.serial('A client gets the 503 of a disk that is full while it still sends', async (t) => {
  const administrator = w.as(await w.administrator());
  const { pathname, search } = new URL((await administrator.get('/api/conversion/transfer/upload-url')).body.data);
  const { put } = w.blobs;
  t.teardown(() => Object.assign(w.blobs, { put }));
  w.blobs.put = async (name, body, ...rest) => {
    const first = async function* () {
      for await (const chunk of body) {
        yield chunk;
        throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
      }
    };
    return put.call(w.blobs, name, Readable.from(first()), ...rest);
  };
  t.regex(await sendAll(`PUT ${pathname}${search} HTTP/1.1`, 900_000, true), /^HTTP\/1\.1 503 /);
});

test.serial('The connection closes when the rest of a refused body is longer than 64 MiB', async (t) => {
  const error = await t.throwsAsync(sendAll('POST /api/nothing HTTP/1.1', 400 * 2 ** 20));
  t.regex(String((error as NodeJS.ErrnoException).code), /EPIPE|ECONNRESET/);
});
