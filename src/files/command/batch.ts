import type { Io } from './io.ts';
import { plain } from './table.ts';

/** A file of a batch that could not be processed. */
export interface Failure {
  file: string;
  message: string;
}

export interface BatchOptions {
  /** Maximum of files at once. */
  parallel?: number;
  /** Whether an error of a file ends the batch, because it concerns all of them. */
  ends(error: unknown): boolean;
}

/**
 * Calls `work` for each file, in order. A file that fails does not stop the others, unless the error concerns all of
 * them: then no further file is begun.
 */
export async function inBatch<T>(
  files: readonly string[],
  work: (file: string, at: number) => Promise<T>,
  { parallel = 1, ends }: BatchOptions,
): Promise<{ results: (T | undefined)[]; failures: Failure[] }> {
  const results: (T | undefined)[] = files.map(() => undefined);
  const failed = new Map<number, Failure>();
  const waiting = files.entries();
  let ended = false;
  async function drain() {
    for (const [at, file] of waiting) {
      if (ended) return;
      try {
        results[at] = await work(file, at);
      } catch (error) {
        if (ends(error)) {
          ended = true;
          throw error;
        }
        failed.set(at, { file, message: error instanceof Error ? error.message : String(error) });
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(parallel, files.length) }, drain));
  return { results, failures: [...failed].sort(([one], [other]) => one - other).map(([, failure]) => failure) };
}

/** Prints the failures, after all results. Throws if there are any. */
export function endBatch(io: Io, total: number, failures: readonly Failure[]): void {
  if (failures.length === 0) return;
  if (!io.json) for (const { file, message } of failures) io.note(`${plain(file)}: ${plain(message)}`);
  throw new Error(`${failures.length} of ${total} files failed.`);
}
