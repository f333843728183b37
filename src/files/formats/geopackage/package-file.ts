import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ByteSink } from '../../data/bytes.ts';
import type { Context } from '../define.ts';
import { copyFile } from '../io/pieces.ts';
import { createPackage } from './package-tables.ts';

/** Writes a GeoPackage in the scratch folder, and copies it to the output when `fill` has written its layers. */
export async function writePackage(
  sink: ByteSink,
  { scratch, signal }: Pick<Context, 'scratch' | 'signal'>,
  fill: (database: DatabaseSync) => Promise<void>,
): Promise<void> {
  const path = join(scratch, `${randomUUID()}.gpkg`);
  try {
    {
      // The tables of the R-tree are filled directly.
      using database = new DatabaseSync(path, { defensive: false });
      createPackage(database);
      await fill(database);
    }
    await copyFile(path, sink, signal);
  } finally {
    await rm(path, { force: true });
  }
}
