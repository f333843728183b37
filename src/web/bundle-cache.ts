import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { deserialize, serialize } from 'node:v8';

/** File systems stamp changes with the time of the last tick of the clock. */
const TICK_MS = 20;

/** What was made of files. */
export interface Made<T> {
  /** Only of what the structured clone algorithm copies. */
  readonly value: T;
  /** Paths of all files that it depends on. */
  readonly inputs: readonly string[];
}

interface Kept {
  readonly value: unknown;
  /** SHA-256 by path. */
  readonly inputs: ReadonlyMap<string, string>;
}

/**
 * Returns what a file keeps, if all inputs have their content of then; else makes it, and keeps it there. Whoever can
 * write the file decides what is returned.
 * @param file undefined: nothing is kept
 */
export async function keepMade<T>(file: string | undefined, make: () => Promise<Made<T>>): Promise<T> {
  if (file === undefined) return (await make()).value;
  const kept = await read(file);
  if (kept !== undefined && (await areCurrent(kept.inputs))) return kept.value as T;
  const began = Date.now();
  const { value, inputs } = await make();
  // without it, the next one takes longer, as after an installation that this account may not change
  await write(file, value, inputs, began).catch(() => {});
  return value;
}

/** Undefined also for half a file, or one of another version of Node. */
async function read(file: string): Promise<Kept | undefined> {
  try {
    return deserialize(await readFile(file)) as Kept;
  } catch {
    return undefined;
  }
}

const digest = async (path: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(path))
    .digest('base64url');

async function areCurrent(inputs: Kept['inputs']): Promise<boolean> {
  const current = await Promise.all(
    [...inputs].map(async ([path, expected]) => (await digest(path).catch(() => undefined)) === expected),
  );
  return current.every(Boolean);
}

async function write(file: string, value: unknown, inputs: readonly string[], began: number): Promise<void> {
  // a file that was edited meanwhile may have been read before
  const times = await Promise.all(inputs.map(async (path) => (await stat(path)).mtimeMs));
  if (times.some((time) => time >= began - TICK_MS)) return;
  const digests = await Promise.all(inputs.map(async (path) => [path, await digest(path)] as const));
  const kept: Kept = { value, inputs: new Map(digests) };
  await mkdir(dirname(file), { recursive: true });
  const part = `${file}.${randomUUID()}`;
  try {
    await writeFile(part, serialize(kept));
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
