import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const LINUX_EVERY_MS = 50;
const ELSEWHERE_EVERY_MS = 500;

/** Memory limit of a process. */
interface Limit {
  limitMb: number;
  exceeded(): void;
}

/**
 * Limits resident memory, because V8's limits cover neither WebAssembly nor array buffers nor the heaps of other
 * threads. One timer for all processes, which runs only while there are some.
 */
export class MemoryWatch {
  readonly #limits = new Map<number, Limit>();
  #timer: NodeJS.Timeout | undefined;

  /** Calls `limit.exceeded` once when the process exceeds the limit. Returns the function that stops watching. */
  add(pid: number, limit: Limit): () => void {
    this.#limits.set(pid, limit);
    const interval = process.platform === 'linux' ? LINUX_EVERY_MS : ELSEWHERE_EVERY_MS;
    this.#timer ??= setInterval(() => this.#check(), interval);
    return () => {
      this.#limits.delete(pid);
      if (this.#limits.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  #check(): void {
    const sizes = residentMb([...this.#limits.keys()]);
    for (const [pid, limit] of this.#limits) {
      if ((sizes.get(pid) ?? 0) <= limit.limitMb) continue;
      this.#limits.delete(pid);
      limit.exceeded();
    }
  }
}

/**
 * Resident and (Linux) swapped-out memory in MB by process; without processes that have ended. Empty on Windows, where
 * only V8's limits hold.
 */
export function residentMb(pids: readonly number[]): Map<number, number> {
  const sizes = new Map<number, number>();
  if (pids.length === 0 || process.platform === 'win32') return sizes;
  if (process.platform === 'linux') {
    for (const pid of pids) {
      const kb = linuxKb(pid);
      if (kb !== undefined) sizes.set(pid, kb / 1024);
    }
    return sizes;
  }
  for (const line of processList(pids).split('\n')) {
    const [pid, kb] = line.trim().split(/\s+/);
    if (pid && kb) sizes.set(Number(pid), Number(kb) / 1024);
  }
  return sizes;
}

/**
 * Synchronous, because reading a file of `/proc` takes 27 µs. Swapped-out memory counts, or a machine that swaps would
 * enforce no limit.
 */
function linuxKb(pid: number): number | undefined {
  try {
    const parts = [...readFileSync(`/proc/${pid}/status`, 'latin1').matchAll(/^Vm(?:RSS|Swap):\s+(\d+) kB$/gm)];
    return parts.length === 0 ? undefined : parts.reduce((sum, [, kb]) => sum + Number(kb), 0);
  } catch {
    return undefined;
  }
}

function processList(pids: readonly number[]): string {
  try {
    return execFileSync('ps', ['-o', 'pid=,rss=', '-p', pids.join(',')], {
      encoding: 'latin1',
      timeout: 1000,
      env: { PATH: '/usr/bin:/bin' },
    });
  } catch {
    return '';
  }
}
