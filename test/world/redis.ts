import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { ExecutionContext } from 'ava';

export const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
if (!hasRedis) console.warn('SKIPPED: no redis-server on the PATH; what API processes share in Redis is not tested.');

const inMemory = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
/** Starts Redis on a free port; on another one, if somebody has taken the port meanwhile. */
export async function startRedis(t: ExecutionContext) {
  for (;;) {
    const free = createServer().listen(0, '127.0.0.1');
    await once(free, 'listening');
    const { port } = free.address() as { port: number };
    await new Promise((resolve) => free.close(resolve));
    const redis = spawn('redis-server', ['--port', `${port}`, ...inMemory]);
    t.teardown(() => void redis.kill('SIGKILL'));
    let said = '';
    for await (const line of redis.stdout) {
      said += line;
      if (said.includes('Ready to accept')) return { redis, port };
    }
    if (!said.includes('Address already in use')) throw new Error(`Redis does not start: ${said}`);
  }
}
