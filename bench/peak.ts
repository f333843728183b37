import { readFileSync } from 'node:fs';

/**
 * The most memory, in KB, that was ever resident in this process. What `resourceUsage` says begins with the memory of the process that
 * started this one; Linux has the true figure.
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
