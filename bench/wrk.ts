import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { load } from './load.ts';

const run = promisify(execFile);

export interface WrkOptions {
  /** Absolute. */
  url: string;
  headers: Record<string, string>;
  connections: number;
  seconds: number;
}

/**
 * Requests per second that a loopback server answers. Uses `wrk` if it is installed (`apt-get install wrk`), which
 * needs a fifth of the CPU time of a client in JavaScript; otherwise a thread of this process, which may be the
 * bottleneck. Any status but 2xx is an error.
 */
export async function answersPerSecond({ url, headers, connections, seconds }: WrkOptions): Promise<number> {
  const lines = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  try {
    const { stdout } = await run('wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, ...lines, url]);
    if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`${url}: ${stdout}`);
    return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOENT') throw error;
    const { port, pathname, search } = new URL(url);
    const result = await load({ port: Number(port), paths: [`${pathname}${search}`], headers, connections, seconds });
    return result.perSecond;
  }
}
