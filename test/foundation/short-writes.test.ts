import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';

/** More than the smallest limit of `ulimit -f`, which is 512 or 1024 bytes. */
const CONTENT = Buffer.alloc(1500, 'content');
const PROGRAM = fileURLToPath(new URL('programs/fetch.ts', import.meta.url));

let folder = '';
const server = createServer((request, response) => {
  response.writeHead(200, { 'content-length': CONTENT.length, etag: '"etag"' });
  response.end(request.method === 'HEAD' ? undefined : CONTENT);
});
test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'platform-short-'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
test.after.always(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

/**
 * Runs the program with a limit for the size of its files: a write beyond it is short, as on a disk that becomes full.
 */
async function fetched(kind: string, limit: string): Promise<{ result: string; path: string }> {
  const path = join(folder, `${kind}-${limit}`);
  const { port } = server.address() as AddressInfo;
  const command = [process.execPath, PROGRAM, kind, `http://127.0.0.1:${port}`, path];
  const { stdout } = await promisify(execFile)('sh', ['-c', `ulimit -f ${limit} && exec "$@"`, 'sh', ...command], {
    // a compile cache that is cut short would harm other processes
    env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' },
  });
  return { result: stdout, path };
}

for (const [kind, what] of Object.entries({ bucket: 'a blob of a bucket', remote: 'a remote file' })) {
  test(`${what} on a full disk fails`, async (t) => {
    t.is((await fetched(kind, '1')).result, 'EFBIG');
    const { result, path } = await fetched(kind, 'unlimited');
    t.is(result, 'complete');
    t.true((await readFile(path)).equals(CONTENT));
  });
}
