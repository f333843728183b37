import { createReadStream } from 'node:fs';
import { open as openFile, rename, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';
import { UsageError } from './errors.ts';
import type { Io } from './io.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A path that means stdin as an input and stdout as an output. */
export const STDIO = '-';

/**
 * Whether the path is a folder, in which the file needs a name. Throws if a file exists already, so call it before long
 * work.
 */
export async function needsName({ path = '.', force }: { path?: string; force?: boolean }): Promise<boolean> {
  if (path === STDIO) return false;
  const there = await stat(path).catch(() => undefined);
  if (there?.isDirectory()) return true;
  if (there && !force) throw new UsageError(`${path} exists already. Use --force to replace it.`);
  return false;
}

/** A file that a command makes. It is written to a temporary folder and renamed when it is complete. */
export interface LocalOutput {
  /** Temporary folder, beside the output. */
  folder: string;
  /** Path of the output in the temporary folder. */
  path: string;
  badRecords: string;
  /** Renames the files to their final paths and returns these, or writes the output to stdout. */
  finish(io: Io, nameOf: (target: string) => string): Promise<{ files: string[]; badRecords?: string }>;
}

/**
 * @param target a file, or `-` for stdout
 * @throws UsageError if the file exists and `force` is not set
 */
export async function localOutput(target: string, force: boolean, open: AsyncDisposableStack): Promise<LocalOutput> {
  await needsName({ path: target, force });
  const folder = await temporaryFolder(target === STDIO ? tmpdir() : dirname(target), open);
  const [path, badRecords] = [join(folder, 'output'), join(folder, 'bad-records')];
  return {
    folder,
    path,
    badRecords,
    async finish(io, nameOf) {
      if (target === STDIO) {
        for await (const bytes of createReadStream(path)) await io.write(bytes as Uint8Array);
        return { files: [] };
      }
      const named = nameOf(target);
      if (named !== target && !io.json) io.note(`The output is a zip of several files, so it is written to ${named}.`);
      const moves = await planMoves(path, named, folder);
      const bad = `${withoutExtension(target)}-bad-records.geojson`;
      const hasBad = (await stat(badRecords).catch(() => undefined)) !== undefined;
      if (hasBad) moves.push([badRecords, bad]);
      for (const [, to] of moves) await needsName({ path: to, force });
      for (const [from, to] of moves) await rename(from, to);
      const files = moves.map(([, to]) => to).filter((to) => to !== bad);
      return { files, ...(hasBad ? { badRecords: bad } : {}) };
    },
  };
}

type Move = [from: string, to: string];

const withoutExtension = (path: string) => path.slice(0, path.length - extname(path).length);

/** Unpacks the zip of a shapefile if the target ends in `.shp`. */
async function planMoves(path: string, target: string, folder: string): Promise<Move[]> {
  if (extname(target).toLowerCase() === '.shp' && (await startsWith(path, 'PK\x03\x04'))) {
    const { unpackShapefiles } = await import('./shapefile-zip.ts');
    const unpacked = await unpackShapefiles(path, folder, basename(target, extname(target)));
    return unpacked.map((one): Move => [one, join(dirname(target), basename(one))]);
  }
  return [[path, target]];
}

async function startsWith(path: string, signature: string): Promise<boolean> {
  await using file = await openFile(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(signature.length), 0, signature.length, 0);
  return bytesRead === signature.length && buffer.toString('latin1') === signature;
}
