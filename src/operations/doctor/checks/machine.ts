import { statfs } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import { type Check, ill, type Result, runCheck, well } from '../check.ts';

const MIN_SHARE = 0.05;
const MIN_BYTES = 2 * 2 ** 30;
const gigabytes = (bytes: number) => `${(bytes / 2 ** 30).toFixed(1)} GB`;

/** @param needed of `engines` in package.json, such as `>=26` */
export function checkNode(needed: string): Result {
  const major = Number(process.versions.node.split('.')[0]);
  const message = `Node ${process.versions.node} on ${process.platform} ${process.arch}, ${availableParallelism()} cores, ${gigabytes(totalmem())} memory.`;
  return major < Number(needed.replace(/\D+/g, ''))
    ? ill(message, `Start the platform with Node ${needed}: bin/platform finds the one that was installed with it.`)
    : well(message);
}

/** @param folders what is in them, by path */
export const checkDisks = (folders: Record<string, string>): Promise<Check> =>
  runCheck('disk', 'Create the folder, or give the platform rights to it.', async () => {
    const found: { text: string; isFull: boolean }[] = [];
    for (const [path, what] of Object.entries(folders)) {
      const { bavail, blocks, bsize } = await statfs(path);
      const free = bavail * bsize;
      found.push({
        text: `${what} ${gigabytes(free)} of ${gigabytes(blocks * bsize)} free`,
        isFull: free < MIN_BYTES || bavail < MIN_SHARE * blocks,
      });
    }
    const message = `${found.map(({ text }) => text).join(', ')}.`;
    return found.some(({ isFull }) => isFull)
      ? ill(message, 'Delete files or enlarge the disk: conversions end, and Postgres stops, when it is full.')
      : well(message);
  });
