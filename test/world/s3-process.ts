import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** An S3 server in a process of its own, which can be stopped as by SIGSTOP. */
export async function startS3Process() {
  const root = await mkdtemp(join(tmpdir(), 'platform-s3-process-'));
  const child = fork(fileURLToPath(new URL('./s3-server.ts', import.meta.url)), [root]);
  const [port] = (await once(child, 'message')) as [number];
  return {
    /** Value for the setting `blobs.url`. */
    url: `s3://S3RVER:S3RVER@127.0.0.1:${port}/blobs?tls=false`,
    stop: () => child.kill('SIGSTOP'),
    go: () => child.kill('SIGCONT'),
    async close() {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      await rm(root, { recursive: true, force: true });
    },
  };
}
