import type { DatabaseSync } from 'node:sqlite';
import type { FeatureCollection } from '../../data/feature-collection.ts';
import type { Context, Write } from '../define.ts';
import { writePackage } from './package-file.ts';
import { listCrs } from './package-tables.ts';
import type { writeParameters } from './parameters.ts';
import { tableName } from './table-name.ts';
import { TableWriter } from './table-writer.ts';

export const write: Write<typeof writeParameters, 'features'> = (data, { LayerName }, sink, context) =>
  writePackage(sink, context, (database) => writeLayers(database, data, LayerName, context));

async function writeLayers(
  database: DatabaseSync,
  data: FeatureCollection,
  layerName: string | undefined,
  context: Context,
): Promise<void> {
  const srs = await listCrs(database, data.crs, context);
  const taken = new Set<string>();
  const layers = [data, ...(data.later ?? [])];
  const names = layers.map((layer) =>
    tableName(layer === data ? (layerName ?? layer.name) : layer.name, taken, context),
  );
  for (const [n, layer] of layers.entries()) {
    const name = names[n]!;
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
