import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const LINUX_EVERY_MS = 50;
const ELSEWHERE_EVERY_MS = 500;

/** What one process may occupy. */
interface Bound {
  limitMb: number;
  exceeded(): void;
}

/** Watches processes; each is told of once, when it is over its bound. */
export interface MemoryWatch {
  /** Returns how to stop watching. */
  add(pid: number, bound: Bound): () => void;
}

/**
 * One timer for all: V8's own limits know neither WebAssembly nor array buffers nor other threads' heaps, so what counts is what the process
 * occupies. The timer runs only while there is something to watch.
 */
export function watchMemory(): MemoryWatch {
  const bounds = new Map<number, Bound>();
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    const sizes = residentMb([...bounds.keys()]);
    for (const [pid, bound] of bounds) {
      if ((sizes.get(pid) ?? 0) <= bound.limitMb) continue;
      bounds.delete(pid);
      bound.exceeded();
    }
  };
  return {
    add(pid, bound) {
      bounds.set(pid, bound);
      timer ??= setInterval(look, process.platform === 'linux' ? LINUX_EVERY_MS : ELSEWHERE_EVERY_MS);
      return () => {
        bounds.delete(pid);
        if (bounds.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}

/** Memory in MB, resident or (Linux) swapped out, of those of these processes that are there. Windows tells nothing: there V8's limit stands alone. */
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
  for (const [, pid, kb] of processList(pids).matchAll(/(\d+)\s+(\d+)/g)) sizes.set(Number(pid), Number(kb) / 1024);
  return sizes;
}

/**
 * Synchronous on purpose: a file of the kernel's is read in 27 µs, and nothing can come in between. What was swapped out counts, or the
 * slowest machine would set no limit.
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
    return execFileSync('ps', ['-o', 'pid=,rss=', '-p', pids.join(',')], { encoding: 'latin1', timeout: 1000 });
  } catch {
    return '';
  }
}
