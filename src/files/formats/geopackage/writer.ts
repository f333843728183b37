import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { FeatureCollection } from '../../data/feature-collection.ts';
import type { Context, Write } from '../define.ts';
import { copyFile } from '../io/pieces.ts';
import { createPackage, listCrs } from './package-tables.ts';
import type { writeParameters } from './parameters.ts';
import { TableWriter } from './table-writer.ts';

export const write: Write<typeof writeParameters, 'features'> = async (data, { LayerName }, sink, context) => {
  const path = join(context.scratch, `${randomUUID()}.gpkg`);
  try {
    await writeDatabase(path, data, LayerName, context);
    await copyFile(path, sink, context.signal);
  } finally {
    await rm(path, { force: true });
  }
};

async function writeDatabase(
  path: string,
  data: FeatureCollection,
  layerName: string | undefined,
  context: Context,
): Promise<void> {
  // The tables of the R-tree are filled directly.
  using database = new DatabaseSync(path, { defensive: false });
  createPackage(database);
  const srs = await listCrs(database, data.crs, context);
  const taken = new Set<string>();
  for (const layer of [data, ...(data.later ?? [])]) {
    const name = tableName(layer === data ? (layerName ?? layer.name) : layer.name, taken, context);
    const table = new TableWriter(database, layer, { name, srs }, context);
    database.exec('begin');
    for await (const chunk of layer.chunks()) {
      context.signal.throwIfAborted();
      for (const feature of chunk) table.add(feature);
    }
    table.end();
    database.exec('commit');
  }
}

/** A name that no other table has. Names that begin with those of system tables get a letter before them. */
function tableName(wanted: string | undefined, taken: Set<string>, { reportLoss }: Context): string {
  const given = (wanted ?? '').toWellFormed().replaceAll('\0', '').trim() || 'layer';
  const base = /^(?:gpkg|rtree|sqlite)_/i.test(given) ? `_${given}` : given;
  let name = base;
  for (let n = 2; taken.has(name.toLowerCase()); n++) name = `${base}_${n}`;
  taken.add(name.toLowerCase());
  if (wanted !== undefined && name !== wanted)
    reportLoss(`The layer '${wanted.slice(0, 80)}' was called '${name.slice(0, 80)}'.`);
  return name;
}
