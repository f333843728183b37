import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Write } from '../../../formats/define.ts';
import { copyFile } from '../../../formats/io/pieces.ts';
import { type VectorPyramid, vectorPyramid } from './draw-tiles.ts';
import type { writeParameters } from './parameters.ts';

/** `application_id` of MBTiles 1.3. */
const mbTiles = 0x4d504258;

export const write: Write<typeof writeParameters, 'features'> = async (data, parameters, sink, context) => {
  const pyramid = await vectorPyramid(data, parameters, context);
  const path = join(context.scratch, `${randomUUID()}.mbtiles`);
  try {
    await writeDatabase(path, pyramid, context.signal);
    await copyFile(path, sink, context.signal);
  } finally {
    await rm(path, { force: true });
  }
};

async function writeDatabase(path: string, pyramid: VectorPyramid, signal: AbortSignal): Promise<void> {
  using database = new DatabaseSync(path);
  // No journal: the file is copied only when it is complete.
  database.exec(`pragma journal_mode = off; pragma synchronous = off; pragma application_id = ${mbTiles};
    create table metadata (name text, value text);
    create table tiles (zoom_level integer, tile_column integer, tile_row integer, tile_data blob);
    begin`);
  const tell = database.prepare('insert into metadata values (?, ?)');
  for (const [name, value] of metadataOf(pyramid.description)) tell.run(name, value);
  const add = database.prepare('insert into tiles values (?, ?, ?, ?)');
  await pyramid.draw(({ level, column, row }, bytes) => {
    signal.throwIfAborted();
    // Rows of MBTiles count from the south.
    add.run(level, column, 2 ** level - 1 - row, bytes);
  });
  database.exec('commit; create unique index tile_index on tiles (zoom_level, tile_column, tile_row)');
}

function metadataOf({ name, levels, bounds, layers }: VectorPyramid['description']): [string, string][] {
  const [west, south, east, north] = bounds;
  return [
    ['name', name],
    ['format', 'pbf'],
    ['minzoom', String(levels.first)],
    ['maxzoom', String(levels.last)],
    ['bounds', bounds.join(',')],
    ['center', [(west + east) / 2, (south + north) / 2, levels.first].join(',')],
    ['type', 'overlay'],
    ['json', JSON.stringify({ vector_layers: layers })],
  ];
}
