import type { Io } from './io.ts';
import { openInputFile, uploadWithProgress } from './staged-file.ts';

/**
 * Transformations whose local files (`{ path }`) are replaced by uploads, as the API takes them. A file that several
 * of them name is sent once.
 * @param dryRun true: addresses are requested, but nothing is sent
 */
export async function sendSideFiles(
  io: Io,
  transformations: readonly unknown[],
  dryRun: boolean,
): Promise<readonly unknown[]> {
  const addresses = new Map<string, Promise<string>>();
  const send = async (path: string): Promise<string> => {
    const file = await openInputFile(io, path);
    const address = await file.address();
    if (!dryRun) await file.with?.((local) => uploadWithProgress(io, local, address));
    return address;
  };
  const addressOf = (path: string): Promise<string> => {
    const found = addresses.get(path) ?? send(path);
    addresses.set(path, found);
    return found;
  };
  const replaced = async (value: unknown): Promise<unknown> => {
    if (Array.isArray(value)) return Promise.all(value.map(replaced));
    if (typeof value !== 'object' || value === null) return value;
    const { path } = value as { path?: unknown };
    if (typeof path === 'string') return { uploadUrl: await addressOf(path) };
    const members = Object.entries(value).map(async ([name, member]) => [name, await replaced(member)] as const);
    return Object.fromEntries(await Promise.all(members));
  };
  return Promise.all(transformations.map(replaced));
}
