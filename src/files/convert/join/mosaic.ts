import type { Band, Grid, RowBlock, RowRange, Slice } from '../../data/grid.ts';
import type { SampleType } from '../../data/item.ts';
import { commonType, isFloat, nodataOf } from '../../data/samples.ts';
import { ConversionError } from '../../errors.ts';
import type { Context } from '../../formats/define.ts';
import type { MosaicMethod } from '../steps/join-shapes.ts';
import { commonItem, emptyTest, isUnnamed, matchByName, placesByName, toCommonItem } from './common-item.ts';
import { type InputFiles, MOST_OPEN } from './input-files.ts';
import { KnownTypes } from './known-types.ts';
import { Merge } from './merge.ts';
import { isCovered, mostAcross, union, type Window, windowIn } from './mosaic-place.ts';
import { RowCursor } from './row-cursor.ts';
import { checkCrs, checkLayers, checkSteps } from './same-place.ts';

/** Bytes of the block of rows that is merged at once. */
const BLOCK_BYTES = 1 << 23;
/** The same where a row crosses more files than may be open. */
const WIDE_BLOCK_BYTES = 1 << 27;
/** How often a file is opened there at most, if its rows fit into such blocks: text is read from its top each time. */
const OPENINGS = 2;

/** What the mosaic needs to know of a file before it reads its values. */
type Header = Omit<Grid, 'rows' | 'read' | 'kind'>;

/** A file that has an item of the mosaic. */
interface Source {
  file: number;
  band: number;
  item: Band;
  window: Window;
}

interface MosaicBand {
  item: Band;
  /** The value of cells without data. */
  fill: number;
  sources: readonly Source[];
}

/**
 * Joins grids that lie a whole number of cells apart into one that covers them all. Where several have data, `method`
 * decides; cells that are nodata never count. Reads each file about once per item, step and layer.
 * @param srid the request gives the coordinate system of all files
 * @throws ConversionError that names a file that does not fit
 */
export async function mosaic(
  files: InputFiles,
  { method, srid }: { method: MosaicMethod; srid: string | undefined },
  context: Context,
): Promise<Grid> {
  const headers: Header[] = [];
  const windows: Window[] = [];
  for (let n = 0; n < files.files.length; n++)
    await files.use(n, async (data) => {
      if (data.kind !== 'grid') throw new ConversionError('It holds no grid, so it is no part of a mosaic.');
      const { rows: _, read: __, kind: ___, ...header } = data;
      const first = headers[0] ?? header;
      if (header.located === false)
        throw new ConversionError('It is not georeferenced, so it has no place in a mosaic.');
      if (srid === undefined) await checkCrs(first, header);
      windows.push(windowIn(first, header));
      checkLayers(first.layers, header.layers);
      checkSteps(first.time, header.time);
      const { origin: ____, ...described } = header;
      headers.push(n === 0 ? header : described);
      context.progress((0.1 * (n + 1)) / files.files.length, 'Reading');
    });
  const first = headers[0]!;
  const { windows: placed, ...place } = union(first, windows);
  const bands = await joinBands(files, headers, placed, { method, place });
  const blocks = new MosaicRows(files, method, place.width, bands);
  return {
    ...first,
    ...place,
    kind: 'grid',
    bands: bands.map(({ item }) => item),
    ...(first.origin === undefined ? {} : { origin: { ...first.origin, changed: true } }),
    rows: (slice, range = { first: 0, end: place.height }) => blocks.rows(slice, range),
  };
}

/** Joins items by name. A file without one of the items has no data for it. */
async function joinBands(
  files: InputFiles,
  headers: readonly Header[],
  windows: readonly Window[],
  { method, place }: { method: MosaicMethod; place: Pick<Grid, 'width' | 'height'> },
): Promise<MosaicBand[]> {
  const wanted: Band[] = [];
  const sources: Source[][] = [];
  for (const [file, { bands }] of headers.entries())
    await files.naming(file, async () => {
      const unnamed = isUnnamed(bands) && isUnnamed(wanted);
      if (!unnamed) placesByName(bands);
      const known = new Set(unnamed ? [] : wanted.map(({ name = '' }) => name));
      wanted.push(...bands.filter(({ name = '' }, n) => (unnamed ? n >= wanted.length : !known.has(name))));
      for (const [n, band] of matchByName(wanted, bands).entries()) {
        if (band === undefined) continue;
        sources[n] ??= [];
        sources[n].push({ file, band, item: bands[band]!, window: windows[file]! });
      }
    });
  return wanted.map((_, n) => {
    const all = sources[n]!;
    const covered = isCovered(
      place,
      all.map(({ window }) => window),
    );
    const { item, fill } = joinedBand(all.map((one) => one.item) as [Band, ...Band[]], { method, covered });
    if (all.length < headers.length) remarkMissing(files, item, all);
    for (const one of all)
      if (JSON.stringify(one.item.palette) !== JSON.stringify(item.palette))
        throw new ConversionError(`${files.name(one.file)}: It has another palette than the first file.`);
    if (fill === 0 && item.nodata === undefined && !covered)
      files.remark(
        all[0]!.file,
        `The item '${item.name ?? n + 1}' has no nodata value; cells that no file covers are 0.`,
      );
    return { item, fill, sources: all };
  });
}

function remarkMissing(files: InputFiles, { name = '' }: Band, sources: readonly Source[]): void {
  const having = new Set(sources.map(({ file }) => file));
  for (const file of files.files.keys())
    if (!having.has(file)) files.remark(file, `There is no item '${name}', so it has no data for it.`);
}

/** The item that holds the merged values, and the value of cells without any. */
function joinedBand(
  items: readonly [Band, ...Band[]],
  { method, covered }: { method: MosaicMethod; covered: boolean },
): { item: Band; fill: number } {
  const { integer64, exactNodata: _, ...item }: Band = commonItem(items);
  let { type } = item;
  if (integer64 !== undefined) type = 'Float64';
  if (method === 'mean') type = commonType([type ?? 'Float64', 'Float32']);
  let { nodata } = item;
  if (nodata === undefined && !covered && item.role === undefined && item.palette === undefined) {
    // a value of its own, since each value of the type may be one of the data
    if (type !== undefined) type = wider[type] ?? type;
    nodata = nodataOf(type ?? 'Float64', undefined);
  }
  const joined = { ...item, ...(type === undefined ? {} : { type }), ...(nodata === undefined ? {} : { nodata }) };
  // floats without a nodata value are NaN where they are not data
  return { item: joined, fill: nodata ?? (isFloat(type ?? 'Float64') ? Number.NaN : 0) };
}

/** A type with values that the given one does not have. */
const wider: Readonly<Partial<Record<SampleType, SampleType>>> = {
  UInt8: 'Int16',
  Int8: 'Int16',
  UInt16: 'Int32',
  Int16: 'Int32',
  UInt32: 'Float64',
  Int32: 'Float64',
};

/** Merges the rows of the files. */
class MosaicRows {
  readonly #files: InputFiles;
  readonly #method: MosaicMethod;
  readonly #width: number;
  readonly #bands: readonly MosaicBand[];
  readonly #types: KnownTypes;

  constructor(files: InputFiles, method: MosaicMethod, width: number, bands: readonly MosaicBand[]) {
    this.#files = files;
    this.#method = method;
    this.#width = width;
    this.#bands = bands;
    this.#types = new KnownTypes(
      bands.map(({ item, fill }) => ({ ...item, ...(Number.isNaN(fill) ? {} : { nodata: fill }) })),
    );
  }

  async *rows(slice: Slice, { first, end }: RowRange): AsyncGenerator<RowBlock> {
    const { item, fill, sources } = this.#bands[slice.band]!;
    const cursors = new Map<Source, RowCursor>();
    const most = rowsPerBlock(this.#width, sources);
    try {
      for (let row = first; row < end; row += most) {
        const rowCount = Math.min(most, end - row);
        const merge = new Merge(this.#method, item.type ?? 'Float64', rowCount * this.#width, fill);
        for (const source of sources) {
          const { window } = source;
          const [from, to] = [Math.max(row, window.row), Math.min(row + rowCount, window.row + window.height)];
          if (from >= to) continue;
          const cursor =
            cursors.get(source) ??
            new RowCursor(this.#files, source.file, { ...slice, band: source.band }, window.height);
          // last in the map: most recently read
          cursors.delete(source);
          cursors.set(source, cursor);
          if (!cursor.isOpen) await closeOne(cursors.values());
          for await (const block of cursor.take(from - window.row, to - window.row)) {
            this.#types.saw(slice.band, block.samples);
            this.#add(merge, source, item, block, row);
          }
        }
        const samples = merge.finish();
        yield { firstRow: row, rowCount, samples: this.#types.convert(slice.band, samples) };
      }
    } finally {
      for (const cursor of cursors.values()) await cursor.close();
    }
  }

  #add(merge: Merge, { file, item: from, window }: Source, item: Band, block: RowBlock, firstRow: number): void {
    const report = (sentence: string) => this.#files.reportLoss(file, sentence);
    const values = toCommonItem(block.exact ?? block.samples, from, item, report);
    const isEmpty = emptyTest(item, values);
    for (let n = 0; n < block.rowCount; n++) {
      const at = (window.row + block.firstRow + n - firstRow) * this.#width + window.column;
      merge.add(values.subarray(n * window.width, (n + 1) * window.width), at, isEmpty);
    }
  }
}

function rowsPerBlock(width: number, sources: readonly Source[]): number {
  const rows = (bytes: number) => Math.max(1, Math.floor(bytes / (8 * width)));
  const usual = rows(BLOCK_BYTES);
  const windows = sources.map(({ window }) => window);
  if (mostAcross(windows) <= MOST_OPEN) return usual;
  const tallest = windows.reduce((most, { height }) => Math.max(most, height), 0);
  return Math.max(usual, Math.min(rows(WIDE_BLOCK_BYTES), Math.ceil(tallest / OPENINGS)));
}

/** Closes the cursor that was read least recently if too many are open. */
async function closeOne(cursors: Iterable<RowCursor>): Promise<void> {
  const open = [...cursors].filter(({ isOpen }) => isOpen);
  if (open.length >= MOST_OPEN) await open[0]!.close();
}
