import type { Write } from '../../../formats/define.ts';
import { TILE_TYPES } from '../../../formats/io/pmtiles/archive-header.ts';
import { ArchiveWriter } from '../../../formats/io/pmtiles/archive-writer.ts';
import { ScratchFile } from '../../../formats/io/scratch-file.ts';
import { vectorPyramid } from './draw-tiles.ts';
import type { writeParameters } from './parameters.ts';
import { TileSpool } from './tile-spool.ts';

export const write: Write<typeof writeParameters, 'features'> = async (data, parameters, sink, context) => {
  const pyramid = await vectorPyramid(data, parameters, context);
  const tiles = await TileSpool.create(context);
  await pyramid.draw((tile, bytes) => tiles.add(tile, bytes));
  await using spool = await ScratchFile.create(context.scratch);
  const archive = new ArchiveWriter(spool.sink);
  for await (const { level, column, row, bytes } of tiles.ordered()) {
    context.signal.throwIfAborted();
    await archive.add(level, column, row, bytes);
  }
  const { name, bounds, layers } = pyramid.description;
  const metadata = { name, type: 'overlay', vector_layers: layers };
  await sink.append(archive.head({ tileType: TILE_TYPES.MVT, clustered: true, gzip: true, bounds, metadata }));
  for await (const piece of spool.pieces()) {
    context.signal.throwIfAborted();
    await sink.append(piece);
  }
};
