import { readFileSync } from 'node:fs';

/**
 * Peak resident memory of this process in KB. `resourceUsage` includes the parent's memory at the time of the fork;
 * `VmHWM` of Linux does not.
 */
export function peakKb(): number {
  try {
    const highest = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    if (highest !== undefined) return Number(highest);
  } catch {
    // not Linux
  }
  return process.resourceUsage().maxRSS;
}
