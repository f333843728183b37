import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { load } from './load.ts';

const run = promisify(execFile);

export interface WrkOptions {
  /** Absolute. */
  url: string;
  /** Paths that are asked for in turns. Default: that of the URL. */
  paths?: readonly string[];
  headers: Record<string, string>;
  connections: number;
  seconds: number;
}

/**
 * Requests per second that a loopback server answers. Uses `wrk` if it is installed (`apt-get install wrk`), which
 * needs a fifth of the CPU time of a client in JavaScript; otherwise a thread of this process, which may be the
 * bottleneck. Any status but 2xx is an error.
 */
export async function answersPerSecond({ url, paths, headers, connections, seconds }: WrkOptions): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-wrk-'));
  const lines = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  try {
    const script = join(folder, 'paths.lua');
    if (paths !== undefined) await writeFile(script, scriptOf(paths));
    const more = paths === undefined ? [] : ['-s', script];
    const { stdout } = await run('wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, ...lines, ...more, url]);
    if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`${url}: ${stdout}`);
    return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOENT') throw error;
    const { port, pathname, search } = new URL(url);
    const all = paths ?? [`${pathname}${search}`];
    const result = await load({ port: Number(port), paths: all, headers, connections, seconds });
    return result.perSecond;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Requests are formatted once, because wrk would be the bottleneck. */
const scriptOf = (paths: readonly string[]) => `
local paths = { ${paths.map((path) => JSON.stringify(path)).join(', ')} }
local requests, n = {}, 0
function init() for i, path in ipairs(paths) do requests[i] = wrk.format("GET", path) end end
function request() n = n % #requests + 1 return requests[n] end
`;
