import { writeFile as writeText } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { ConversionResult } from '../../../src/files/convert/conversion.ts';
import { convert } from '../../../src/files/convert/convert.ts';
import { type OpenFile, openFile, writeFile } from '../../../src/files/convert/open-file.ts';
import type { Data } from '../../../src/files/data/data.ts';
import type { Band, Grid } from '../../../src/files/data/grid.ts';
import type { Samples } from '../../../src/files/data/item.ts';
import type { TimeAxis } from '../../../src/files/data/time-axis.ts';
import { folderOf } from '../transformed.ts';

/** A grid of given rows, from the top, of cells of 10 × 10 from the corner at x, y; one list of values for each band and step. */
export function gridAt(
  x: number,
  y: number,
  rows: readonly (readonly number[])[],
  { bands = [{}], time, srid = 25832, cell = 10, more = [] }: GridOptions = {},
): Grid {
  const all = [rows, ...more];
  const steps = time === undefined ? 1 : time.spacing === 'equidistant' ? time.count : time.offsets.length;
  return {
    kind: 'grid',
    width: rows[0]!.length,
    height: rows.length,
    affine: [x, cell, 0, y, 0, -cell],
    crs: { authority: 'EPSG', code: srid },
    bands: bands.map((band) => ({ type: 'Float32', nodata: -9999, ...band })),
    ...(time === undefined ? {} : { time }),
    async *rows({ band, step }) {
      const values = all[band * steps + step]!.flat();
      const { type = 'Float32' } = bands[band]!;
      const samples = (type === 'Float32' ? Float32Array : type === 'UInt8' ? Uint8Array : Int16Array).from(values);
      yield { firstRow: 0, rowCount: rows.length, samples };
    },
  };
}

interface GridOptions {
  bands?: Partial<Band>[];
  time?: TimeAxis;
  srid?: number;
  cell?: number;
  /** Rows of the further steps and bands. */
  more?: readonly (readonly (readonly number[])[])[];
}

/** Writes files by their names: data by the writer of the extension, text as it is. */
export async function filesOf(t: ExecutionContext, files: Readonly<Record<string, Data | string>>): Promise<string[]> {
  const folder = await folderOf(t);
  const paths: string[] = [];
  for (const [name, data] of Object.entries(files)) {
    const path = join(folder, name);
    await (typeof data === 'string' ? writeText(path, data) : writeFile(path, data));
    paths.push(path);
  }
  return paths;
}

interface JoinRequest {
  reader: string;
  writer: string;
  transformations: readonly unknown[];
}

/** Joins files, and opens the result. */
export async function joinedFiles(
  t: ExecutionContext,
  [first, ...others]: readonly string[],
  { reader, writer, transformations }: JoinRequest,
): Promise<{ file: OpenFile; result: ConversionResult }> {
  const folder = await folderOf(t);
  const path = join(folder, 'joined');
  const input = (one: string) => ({ path: one, name: basename(one) });
  const result = await convert(
    {
      input: input(first!),
      otherInputs: others.map(input),
      output: { path },
      scratch: folder,
      reader: { name: reader },
      writer: { name: writer },
      transformations,
    },
    { progress() {}, log() {}, signal: new AbortController().signal },
  );
  const file = await openFile(path);
  t.teardown(() => file.close());
  return { file, result };
}

/** Rows of an item at a step, from the top. */
export async function rowsOf({ data }: OpenFile, item = 0, step = 0): Promise<number[][]> {
  if (data.kind !== 'grid') throw new Error(`It is ${data.kind}.`);
  const rows: number[][] = [];
  for await (const { samples, rowCount } of data.rows({ band: item, step, layer: 0 }))
    for (let row = 0; row < rowCount; row++)
      rows.push(numbers(samples.slice(row * data.width, (row + 1) * data.width)));
  return data.affine[5] < 0 ? rows : rows.reverse();
}

const numbers = (samples: Samples): number[] => Array.from(samples);

export const mosaicOf = (method: string) => [{ type: 'mosaicTransformation', mosaic: { method } }];
export const stackBy = (by: string) => [{ type: 'stackTransformation', stack: { by } }];
