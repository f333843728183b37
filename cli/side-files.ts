import type { Io } from './io.ts';
import { openInputFile, uploadWithProgress } from './staged-file.ts';

interface SentFile {
  uploadUrl: string;
  originalFileName: string;
}

/** Files that were sent, or are being sent, by their paths. */
export type SentFiles = Map<string, Promise<SentFile>>;

/**
 * Transformations whose local files (`{ path }`) are replaced by uploads, as the API takes them. A file that several
 * of them name is sent once.
 * @param dryRun true: addresses are requested, but nothing is sent
 * @param sent shared by the starts of several transfers, which read the same upload
 */
export async function sendSideFiles(
  io: Io,
  transformations: readonly unknown[],
  dryRun: boolean,
  sent: SentFiles = new Map(),
): Promise<readonly unknown[]> {
  const send = async (path: string): Promise<SentFile> => {
    const file = await openInputFile(io, path);
    const uploadUrl = await file.address();
    if (!dryRun) await file.with?.((local) => uploadWithProgress(io, local, uploadUrl));
    return { uploadUrl, originalFileName: file.name };
  };
  const sentFile = (path: string): Promise<SentFile> => {
    const found = sent.get(path) ?? send(path);
    sent.set(path, found);
    return found;
  };
  const replaced = async (value: unknown): Promise<unknown> => {
    if (Array.isArray(value)) return Promise.all(value.map(replaced));
    if (typeof value !== 'object' || value === null) return value;
    const { path } = value as { path?: unknown };
    if (typeof path === 'string') return sentFile(path);
    const members = Object.entries(value).map(async ([name, member]) => [name, await replaced(member)] as const);
    return Object.fromEntries(await Promise.all(members));
  };
  return Promise.all(transformations.map(replaced));
}
