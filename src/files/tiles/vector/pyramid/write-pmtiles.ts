import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Write } from '../../../formats/define.ts';
import { FileSink } from '../../../formats/io/bytes.ts';
import { copyFile } from '../../../formats/io/pieces.ts';
import { TILE_TYPES } from '../../../formats/io/pmtiles/archive-header.ts';
import { ArchiveWriter } from '../../../formats/io/pmtiles/archive-writer.ts';
import { vectorPyramid } from './draw-tiles.ts';
import type { writeParameters } from './parameters.ts';
import { TileSpool } from './tile-spool.ts';

export const write: Write<typeof writeParameters, 'features'> = async (data, parameters, sink, context) => {
  const pyramid = await vectorPyramid(data, parameters, context);
  const tiles = await TileSpool.create(context);
  await pyramid.draw((tile, bytes) => tiles.add(tile, bytes));
  const path = join(context.scratch, `${randomUUID()}.spool`);
  const spool = await FileSink.create(path, { checksum: false });
  try {
    const archive = new ArchiveWriter(spool);
    for await (const { level, column, row, bytes } of tiles.ordered()) {
      context.signal.throwIfAborted();
      await archive.add(level, column, row, bytes);
    }
    await spool.flush();
    const { name, bounds, layers } = pyramid.description;
    await sink.append(
      archive.head({
        tileType: TILE_TYPES.MVT,
        clustered: true,
        gzip: true,
        bounds,
        metadata: { name, type: 'overlay', vector_layers: layers },
      }),
    );
    await copyFile(path, sink, context.signal);
  } finally {
    await spool.close();
    await rm(path, { force: true });
  }
};
