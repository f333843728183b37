import { releaseBuffer } from '../../data/buffer-pool.ts';
import type { Samples } from '../../data/item.ts';
import { sampleArrays } from '../../data/samples.ts';
import type { Series, SeriesChunk, SeriesItem } from '../../data/series.ts';
import { offsetOf } from '../../data/time-axis.ts';
import { parseSrid } from '../../geo/crs/crs.ts';
import type { Read } from '../define.ts';
import type { DfsFile } from '../io/dfs/dfs-file.ts';
import { unsetReference } from '../io/dfs/header.ts';
import { itemOf } from '../io/dfs/items.ts';
import { openChosen } from '../io/dfs/open.ts';
import { DfsContent, dfsOrigin } from '../io/dfs/origin.ts';
import type { readParameters } from '../io/dfs/parameters.ts';
import { crsOfProjection } from '../io/dfs/projection.ts';

export const read: Read<typeof readParameters> = async (
  source,
  { SRID, AllowedItemNames },
  context,
): Promise<Series> => {
  const { file, chosen, complete } = await openChosen(source, 'dfs0', AllowedItemNames, context);
  const { items, deleteValues, projection } = file.header;
  const own = crsOfProjection(projection);
  const crs = SRID === undefined ? own : parseSrid(SRID);
  return {
    kind: 'series',
    ...(crs === undefined ? {} : { crs }),
    items: chosen.map((n): SeriesItem => {
      const item = itemOf(items[n]!, deleteValues);
      return { ...item, ...positionOf(item.reference) };
    }),
    time: file.time,
    origin: dfsOrigin('dfs0', new DfsContent(file, own), complete),
    chunks: () => readChunks(file, chosen),
  };
};

/** Reference coordinates if they are set: many programs leave them unset, or set all of them to 0. */
function positionOf(reference: readonly number[] | undefined): Pick<SeriesItem, 'position'> {
  if (reference === undefined) return {};
  const [unset] = unsetReference;
  const [x, y, z] = reference as [number, number, number];
  if (x === unset || y === unset || (x === 0 && y === 0)) return {};
  return { position: z === unset ? [x, y] : [x, y, z] };
}

async function* readChunks(file: DfsFile, items: readonly number[]): AsyncGenerator<SeriesChunk> {
  for (let first = 0; first < file.steps; ) {
    const { bytes, count } = await file.readSteps(first);
    const values = items.map((item) => file.oneDeleteValue(item, readColumn(file, item, bytes, count)));
    const offsets = new Float64Array(count);
    for (let n = 0; n < count; n++) offsets[n] = offsetOf(file.time, first + n);
    yield { firstStep: first, offsets, values };
    first += count;
    releaseBuffer(bytes);
  }
}

type Getter = (view: DataView, at: number) => number;

const getters: Readonly<Record<keyof typeof sampleArrays, Getter>> = {
  Float32: (view, at) => view.getFloat32(at, true),
  Float64: (view, at) => view.getFloat64(at, true),
  Int8: (view, at) => view.getInt8(at),
  UInt8: (view, at) => view.getUint8(at),
  Int16: (view, at) => view.getInt16(at, true),
  UInt16: (view, at) => view.getUint16(at, true),
  Int32: (view, at) => view.getInt32(at, true),
  UInt32: (view, at) => view.getUint32(at, true),
};

/** The values of an item in consecutive steps. */
function readColumn(file: DfsFile, item: number, bytes: DataView, count: number): Samples {
  const { type } = file.header.items[item]!;
  const column = new sampleArrays[type](count);
  const get = getters[type];
  let at = file.valueOffset(item);
  for (let n = 0; n < count; n++, at += file.stepBytes) column[n] = get(bytes, at);
  return column;
}
