import { releaseBuffer } from '../../data/buffer-pool.ts';
import type { ByteSink } from '../../data/bytes.ts';
import { type Grid, layersOf } from '../../data/grid.ts';
import { isFloat } from '../../data/samples.ts';
import type { StoredType } from '../../data/stored-values.ts';
import { stepsOf } from '../../data/time-axis.ts';
import { ConversionError } from '../../errors.ts';
import type { Context, Write } from '../define.ts';
import { type FileType, zipType } from '../file-type.ts';
import { rowsInCommonType } from '../io/common-type.ts';
import { flipRows, isSouthUp } from '../io/flip-rows.ts';
import { needsStep } from '../io/needs-step.ts';
import { spill } from '../io/spill.ts';
import { reportUnstored } from '../io/unstored.ts';
import { ClassicTiff, type TiffImage } from './classic-layout.ts';
import { CogTiff } from './cog-layout.ts';
import type { GeoTags } from './directory.ts';
import { geoTagsFor } from './geokeys.ts';
import type { ImageOptions } from './image-blocks.ts';
import { withOneNodata } from './one-nodata.ts';
import type { writeParameters } from './parameters.ts';
import { slicesAsBands } from './slices-as-bands.ts';
import { writeStepFiles } from './step-files.ts';
import { storedSamples, storedType } from './stored.ts';

/** SamplesPerPixel is a 16-bit number. */
const maxBands = 0xffff;

export const write: Write<typeof writeParameters, 'grid'> = async (data, parameters, sink, context) => {
  needsStep(data);
  checkBands(data, parameters);
  // Programs expect the northern row first. The matrix of a GeoTIFF is kept.
  await using turned =
    isSouthUp(data) && data.located !== false && data.origin?.format !== 'geotiff'
      ? await flipRows(data, context)
      : undefined;
  return await writeBands(turned?.grid ?? data, parameters, sink, context);
};

function checkBands(data: Grid, { StepsAs }: Pick<Parameters, 'StepsAs'>): void {
  const steps = StepsAs === 'files' ? 1 : stepsOf(data);
  const count = data.bands.length * steps * layersOf(data);
  if (count <= maxBands) return;
  const remedy =
    steps > 1
      ? 'Use StepsAs: files, or choose fewer with an itemFilter, a temporalFilter or a verticalFilter.'
      : 'Choose fewer with an itemFilter or a verticalFilter.';
  throw new ConversionError(
    `The GeoTIFF would have ${count} bands (items × steps × layers). It holds at most ${maxBands}. ${remedy}`,
  );
}

async function writeBands(
  data: Grid,
  parameters: Parameters,
  sink: ByteSink,
  context: Context,
): Promise<FileType | undefined> {
  if (data.time !== undefined && data.time.start === undefined && stepsOf(data) > 1)
    context.reportLoss(
      'The times of the data are relative; the names of the bands count them from 1970-01-01T00:00:00.',
    );
  const grid = slicesAsBands(data);
  if (parameters.StepsAs === 'files' && stepsOf(data) > 1) {
    await writeStepFiles(data, grid, (one, image) => writeFile(one, parameters, image, context), sink, context);
    return zipType;
  }
  if (grid !== data)
    context.reportLoss(
      'A GeoTIFF has no time axis and no layers: each step and layer became a band.',
      'times',
      'layers',
    );
  await writeFile(grid, parameters, sink, context);
  return undefined;
}

async function writeFile(grid: Grid, parameters: Parameters, sink: ByteSink, context: Context): Promise<void> {
  reportLosses(grid, context);
  reportUnstored(grid.bands, 'A GeoTIFF', ['quantity', 'valueKind'], context);
  const geoTags = await geoTagsFor(grid.crs, context.reportLoss);
  if (grid.bands.length === 1 || grid.bands.every((band) => band.type !== undefined))
    return writeImage(grid, parameters, geoTags, sink, context);
  await using spilled = await spill(grid, context.scratch);
  await writeImage(spilled.grid, parameters, geoTags, sink, context);
}

interface Parameters extends Omit<ImageOptions, 'BlockSize'> {
  BlockSize?: number | undefined;
  Cog: boolean;
  Overviews: 'Auto' | 'Average' | 'Nearest' | 'None';
  StepsAs: 'bands' | 'files';
}

function reportLosses({ bands }: Grid, { reportLoss }: Context): void {
  if (bands.some((band) => band.palette !== undefined) && bands.length > 1)
    reportLoss('A GeoTIFF has a colour table only if it has a single band; it was left out.');
}

async function writeImage(
  given: Grid,
  parameters: Parameters,
  geoTags: GeoTags | undefined,
  sink: ByteSink,
  context: Context,
): Promise<void> {
  reportTypes(given, context);
  const { grid, replace } = await withOneNodata(given, context);
  let image: TiffImage | undefined;
  const restart = async () => {
    await image?.abandon();
    image = undefined;
    await sink.restart();
  };
  try {
    let type: StoredType | undefined;
    for (let band = 0; band < grid.bands.length; band++)
      for await (const block of rowsInCommonType(grid, band, restart)) {
        context.signal.throwIfAborted();
        if (image === undefined) {
          type = storedType(grid.bands, block.samples);
          image = await begin(grid, type, parameters, sink, context.scratch);
        }
        const samples = storedSamples(block, type!);
        replace(band, samples);
        await image.add(samples);
        releaseBuffer(block.samples);
      }
    await image!.end(geoTags);
  } catch (error) {
    await image?.abandon();
    throw error;
  }
}

/** The types of several bands are known; `spill` finds those that a file does not declare. */
function reportTypes({ bands }: Grid, { reportLoss }: Context): void {
  const types = new Set(bands.flatMap((band) => band.integer64 ?? band.type ?? []));
  if (types.size < 2) return;
  reportLoss(
    `Bands have the types ${[...types].join(', ')}; all were written as ${storedType(bands, new Float32Array())}.`,
  );
}

function begin(
  grid: Grid,
  type: StoredType,
  parameters: Parameters,
  sink: ByteSink,
  scratch: string,
): Promise<TiffImage> {
  const { Cog, Overviews, BlockSize = Cog ? 512 : 256 } = parameters;
  if (!Cog) return ClassicTiff.begin(grid, type, { ...parameters, BlockSize }, sink);
  const average = Overviews === 'Average' || (Overviews === 'Auto' && isFloat(type));
  const options = { ...parameters, BlockSize, Tiled: true, average, overviews: Overviews !== 'None' };
  return CogTiff.begin(grid, type, options, sink, scratch);
}
