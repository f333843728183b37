import { isDeepStrictEqual } from 'node:util';
import type { ByteSource } from '../../data/bytes.ts';
import { millisecondsOf, parseUtc } from '../../data/date-text.ts';
import type { Band, Grid } from '../../data/grid.ts';
import { secondsAxis, type TimeAxis } from '../../data/time-axis.ts';
import { FormatError } from '../../errors.ts';
import type { Context } from '../define.ts';
import { UnpackedFiles } from '../io/unpacked-files.ts';
import { filesOfZip, shown, type ZipEntry } from '../io/zip.ts';
import { checkUnpackedSize } from '../io/zip-entry.ts';

/** An image of a zip. Its bands have names without the time. */
interface StepImage {
  readonly name: string;
  readonly grid: Grid;
  /** Milliseconds since 1970. */
  readonly time: number;
}

/**
 * Reads a zip with one image, or with an image for each step of a grid over time, as `StepsAs: files` of the writer
 * makes it: `step_0000.tif` and so on, with the time of the step in the names of its bands.
 * @throws FormatError if images differ in more than their cells and times
 */
export async function readStepImages(
  zip: ByteSource,
  open: (image: ByteSource, context: Context) => Promise<Grid>,
  context: Context,
): Promise<Grid> {
  const entries = await listImages(zip);
  await checkUnpackedSize(entries, context.scratch);
  const files = new UnpackedFiles(zip, context);
  const [only, ...others] = entries;
  if (others.length === 0) return open(files.source(only!), context);
  const images: StepImage[] = [];
  for (const [n, entry] of entries.entries()) {
    context.signal.throwIfAborted();
    // Each remark once, not for every image.
    const grid = await open(files.source(entry), n === 0 ? context : { ...context, log: () => {} });
    images.push(stepImage(shown(entry.name), grid));
  }
  const [first] = images;
  for (const image of images) checkSame(first!, image);
  images.sort((one, other) => one.time - other.time);
  return { ...first!.grid, time: timeOf(images), rows: (slice, range) => rowsOf(images, slice, range) };
}

const rowsOf = (images: readonly StepImage[], slice: Parameters<Grid['rows']>[0], range: Parameters<Grid['rows']>[1]) =>
  images[slice.step]!.grid.rows({ ...slice, step: 0 }, range);

/** The images of a zip in the order of their names. */
async function listImages(zip: ByteSource): Promise<ZipEntry[]> {
  const images = (await filesOfZip(zip)).filter(({ name }) => /\.tiff?$/i.test(name));
  if (images.length === 0) throw new FormatError('The zip has no TIFF image (.tif).');
  return images.sort((one, other) => one.name.localeCompare(other.name, 'en', { numeric: true }));
}

/** Item, time and height of the layer, as `slicesAsBands` joins them. */
const namedTime = /^(?:(.*) )?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?)( at .*)?$/;

function stepImage(name: string, grid: Grid): StepImage {
  const times = new Set<number>();
  const bands = grid.bands.map(({ name: words = '', ...band }, n): Band => {
    const [, item, text = '', height] = namedTime.exec(words) ?? [];
    const parsed = parseUtc(text);
    if (parsed === undefined)
      throw new FormatError(
        `The zip has several images, but the name of band ${n + 1} of '${name}', '${shown(words)}', has no time such as 2020-01-31T12:00:00. Give each image as a file of its own.`,
      );
    times.add(Math.round(millisecondsOf(parsed)));
    const kept = `${item ?? ''}${height ?? ''}`.trim();
    return { ...band, ...(kept === '' ? {} : { name: kept }) };
  });
  if (times.size > 1) throw new FormatError(`The bands of '${name}' have different times.`);
  return { name, grid: { ...grid, bands }, time: [...times][0]! };
}

function checkSame(first: StepImage, other: StepImage): void {
  const different = (['width', 'height', 'affine', 'crs', 'bands'] as const).find(
    (key) => !isDeepStrictEqual(first.grid[key], other.grid[key]),
  );
  if (different === undefined) return;
  const what = { width: 'width', height: 'height', affine: 'place', crs: 'coordinate system', bands: 'bands' }[
    different
  ];
  throw new FormatError(
    `'${other.name}' in the zip differs from '${first.name}' in its ${what}. Images of a zip must be the steps of one grid.`,
  );
}

function timeOf(images: readonly StepImage[]): TimeAxis {
  const start = images[0]!.time;
  return { ...secondsAxis(images.map(({ time }) => (time - start) / 1000)), start };
}
