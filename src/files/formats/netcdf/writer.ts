import type { ByteSink } from '../../data/bytes.ts';
import type { Grid } from '../../data/grid.ts';
import { stepsOf } from '../../data/time-axis.ts';
import type { Context, Write } from '../define.ts';
import { flipRows, isSouthUp } from '../io/flip-rows.ts';
import { spill } from '../io/spill.ts';
import type { ArrayWriter } from '../io/store/array-spec.ts';
import { writeContent } from '../io/store/content.ts';
import { TIME } from '../io/store/time.ts';
import { writeClassic } from './classic/write-classic.ts';
import { Hdf5Writer } from './hdf5/write/hdf5-writer.ts';
import type { writeParameters } from './parameters.ts';
import { ugridContent } from './ugrid/write-mesh.ts';
import { contentFor } from './write/content.ts';
import { arrayOfLine, isLine, withPlaces } from './write/line.ts';
import { isPlaced, withPlaces as withPlaceCoordinates } from './write/places.ts';
import { havePlaces, raggedContent } from './write/ragged-series.ts';
import { seriesContent, writeSeries } from './write/series.ts';

export const write: Write<typeof writeParameters, 'grid' | 'mesh' | 'array' | 'series'> = async (
  data,
  parameters,
  sink,
  context,
): Promise<undefined> => {
  const classic = parameters.Version === '3';
  if (data.kind === 'series' && !havePlaces(data)) {
    const content = await seriesContent(data, context);
    if (classic) await writeClassic(content, sink, context);
    else await writeSeries({ content, series: data }, writerFor(sink, parameters, context), context);
    return;
  }
  await using held = new AsyncDisposableStack();
  const content =
    data.kind === 'series'
      ? await raggedContent(data, context)
      : data.kind === 'grid' && isLine(data)
        ? await withPlaces(await contentFor(await arrayOfLine(data), context), data)
        : isPlaced(data)
          ? await withPlaceCoordinates(await contentFor(data, context), data)
          : await contentFor(data.kind === 'grid' ? await southUp(data, held, context) : data, context, ugridContent);
  if (classic) await writeClassic(content, sink, context);
  else await writeContent(content, writerFor(sink, parameters, context), context);
};

/** A grid of known types whose rows run from the south. */
async function southUp(grid: Grid, held: AsyncDisposableStack, context: Context): Promise<Grid> {
  let known = grid;
  if (grid.bands.some(({ type }) => type === undefined)) {
    const spilled = await spill(grid, context.scratch);
    held.use(spilled);
    known = spilled.grid;
  }
  const [, , b, , c] = known.affine;
  if (b !== 0 || c !== 0 || isSouthUp(known) || stepsOf(known) === 0) return known;
  return held.use(await flipRows(known, context)).grid;
}

function writerFor(
  sink: ByteSink,
  { Compression, Level }: { Compression: 'Deflate' | 'Zstd' | 'None'; Level: number },
  context: Context,
): ArrayWriter {
  return new Hdf5Writer(sink, { compression: Compression, level: Level, unlimited: TIME }, context);
}
