import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { constants, DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { ByteSource } from '../../data/bytes.ts';
import { FormatError } from '../../errors.ts';
import type { Context } from '../define.ts';
import { FileSink } from '../io/bytes.ts';
import { piecesOf } from '../io/pieces.ts';

/** Maximum length of a value in bytes. */
const maxValue = 1 << 28;

/** What statements on a foreign file may do: read. Recursion in a view could run without end. */
const allowed = new Set([
  constants.SQLITE_SELECT,
  constants.SQLITE_READ,
  constants.SQLITE_FUNCTION,
  constants.SQLITE_PRAGMA,
]);

/** Opens a foreign SQLite file to read it. Nothing in it is trusted: views may use plain functions only. */
export async function openDatabase(source: ByteSource, context: Context): Promise<DatabaseSync> {
  const url = pathToFileURL(resolve(source.path ?? (await copied(source, context))));
  // Without a lock, and without looking for a journal beside the file.
  url.searchParams.set('immutable', '1');
  const database = guarded(
    () =>
      new DatabaseSync(url, {
        readOnly: true,
        allowExtension: false,
        enableDoubleQuotedStringLiterals: false,
        defensive: true,
        limits: { length: maxValue, sqlLength: 1 << 20, exprDepth: 200, attach: 0 },
      }),
  );
  context.onEnd(async () => database.close());
  guarded(() => database.exec('pragma trusted_schema = off; pragma cell_size_check = on; pragma query_only = on'));
  database.setAuthorizer((action) => (allowed.has(action) ? constants.SQLITE_OK : constants.SQLITE_DENY));
  return database;
}

async function copied(source: ByteSource, { scratch, signal, onEnd }: Context): Promise<string> {
  const path = join(scratch, `${randomUUID()}.gpkg`);
  onEnd(() => rm(path, { force: true }));
  await using sink = await FileSink.create(path, { checksum: false });
  for await (const piece of piecesOf(source, { start: 0, length: source.size, signal })) await sink.append(piece);
  await sink.flush();
  return path;
}

/** @throws FormatError for what SQLite refuses */
export function guarded<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_SQLITE_ERROR') throw error;
    throw new FormatError(`SQLite cannot read the file: ${(error as Error).message.slice(0, 200)}.`);
  }
}

/** A name in a statement. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
