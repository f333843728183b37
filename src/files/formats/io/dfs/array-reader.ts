import type { Crs } from '../../../data/crs-reference.ts';
import type { Axis, Samples } from '../../../data/item.ts';
import type { ArrayItem, MultiArray, Placement } from '../../../data/multi-array.ts';
import { sampleArrays } from '../../../data/samples.ts';
import { FormatError } from '../../../errors.ts';
import type { Context } from '../../define.ts';
import { areSpectra, dimensionsOf } from './array-axes.ts';
import { type DfsAxis, isSameAxis } from './axes.ts';
import type { DfsFile } from './dfs-file.ts';
import { EncodingKeys } from './encoding-keys.ts';
import { itemOf } from './items.ts';
import type { OpenedDfs } from './open.ts';
import { DfsContent, dfsOrigin, type ReadAxis } from './origin.ts';

/**
 * Reads data that a grid cannot describe: spectra, cells of unequal size, curvilinear cells, and items on different
 * axes.
 */
export async function readArray(
  { format, file, chosen, complete }: OpenedDfs,
  crs: { own: Crs | undefined; requested: Crs | undefined },
  context: Context,
): Promise<MultiArray> {
  const spectral = areSpectra(file, chosen);
  const axes: Axis[] = [];
  const known: ReadAxis[] = [];
  let placement: Placement | undefined;
  const items: ArrayItem[] = [];
  for (const n of chosen) {
    const { axis } = file.header.items[n]!;
    let found: ReadAxis | undefined;
    for (const one of known) if (found === undefined && (await isSameAxis(one.axis, axis))) found = one;
    if (found === undefined) {
      checkCounts(axis, file);
      const { axes: own, nodes } = await dimensionsOf(axis, spectral, context);
      found = { axis, numbers: own.map((_, d) => axes.length + d) };
      known.push(found);
      axes.push(...own);
      const [y, x] = found.numbers.slice(-2) as [number, number];
      if (nodes !== undefined) {
        const { nodeX, nodeY, nodeZ } = nodes;
        const space = nodeZ === undefined ? {} : { space: { z: found.numbers[0]!, nodeZ } };
        placement ??= { by: 'nodes', x, y, nodeX, nodeY, ...space };
      }
    }
    items.push({ ...itemOf(file.header.items[n]!, file.header.deleteValues), axes: found.numbers, overTime: true });
  }
  const used = crs.requested ?? crs.own;
  const keys = file.header.compressed ? await EncodingKeys.read(file, known[0]!.axis.counts) : undefined;
  const content = new DfsContent(file, crs.own, { axes, known });
  return {
    kind: 'array',
    ...(used === undefined ? {} : { crs: used }),
    axes,
    ...(placement === undefined ? {} : { placement }),
    items,
    time: file.time,
    origin: dfsOrigin(format, content, complete && crs.requested === undefined),
    read: (item, step, start, shape) => readBlock(file, keys, { item: chosen[item]!, step }, start, shape),
  };
}

/** Number of coordinates per dimension that even the smallest file may declare. */
const coordinatesOfAnyFile = 1_000_000;

/** Coordinates are held in memory, so a file must not declare more of them than it has room for values. */
function checkCounts({ counts }: DfsAxis, { source, dataStart }: DfsFile): void {
  const most = Math.max(coordinatesOfAnyFile, source.size);
  if (counts.some((count) => count > most))
    throw new FormatError(
      `An item has ${counts.join(' × ')} values, but the file has ${source.size} bytes.`,
      dataStart,
    );
}

/** Reads a rectangular block (hyperslab) as runs of consecutive values. */
async function readBlock(
  file: DfsFile,
  keys: EncodingKeys | undefined,
  { item, step }: { item: number; step: number },
  start: readonly number[],
  shape: readonly number[],
): Promise<Samples> {
  const { axis, type } = file.header.items[item]!;
  const lengths = [...axis.counts].reverse();
  const read = (first: number, count: number) =>
    keys === undefined ? file.readItem(item, step, first, count) : keys.expand(file, item, step, first, count);
  // Dimensions from `whole` on are read completely, so a run spans all of them.
  let whole = lengths.length;
  while (whole > 0 && shape[whole - 1] === lengths[whole - 1]) whole--;
  const runDimension = Math.max(0, whole - 1);
  const run = shape.slice(runDimension).reduce((product, length) => product * length, 1);
  const runs = shape.slice(0, runDimension).reduce((product, length) => product * length, 1);
  if (runs === 1) return read(flatIndex(start, lengths), run);
  const block = new sampleArrays[type](runs * run);
  const index = [...start];
  for (let n = 0; n < runs; n++) {
    block.set(await read(flatIndex(index, lengths), run), n * run);
    for (let d = runDimension - 1; d >= 0; d--) {
      index[d]!++;
      if (index[d]! < start[d]! + shape[d]!) break;
      index[d] = start[d]!;
    }
  }
  return block;
}

const flatIndex = (index: readonly number[], lengths: readonly number[]): number =>
  index.reduce((place, one, d) => place * lengths[d]! + one, 0);
