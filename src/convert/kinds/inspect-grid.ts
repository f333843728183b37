import type { Band, Grid } from '../../data/grid.ts';
import { slicesOfBand } from '../../data/grid.ts';
import { GridTally, watched } from '../../data/grid-statistics.ts';
import { sampleTypeOf } from '../../data/samples.ts';
import { gridPreviewPng } from '../../geo/draw/grid-preview.ts';
import type { Inspection } from '../inspection.ts';
import type { InspectKind } from './handler.ts';
import { inspectTime } from './inspect-items.ts';
import { inspectPlace } from './inspect-place.ts';

/** Reads every slice once; the picture shows the first. */
export async function inspectGrid(
  grid: Grid,
  inspection: Inspection,
  { picture, signal }: InspectKind,
): Promise<Uint8Array | undefined> {
  const { width, height, affine } = grid;
  await inspectPlace(inspection, grid.crs, grid.located === false ? undefined : grid);
  const types = new Map<number, Band['type']>();
  const tally = new GridTally();
  const counted = watched(grid, tally, signal, () => {});
  const pulled: Grid = {
    ...counted,
    async *rows(slice) {
      for await (const block of counted.rows(slice)) {
        types.set(slice.band, sampleTypeOf(block.samples));
        yield block;
      }
    },
  };
  let png: Uint8Array | undefined;
  for (let band = 0; band < grid.bands.length; band++) {
    for (const slice of slicesOfBand(grid, band)) {
      if (picture && png === undefined) png = await gridPreviewPng(pulled, slice);
      else for await (const _ of pulled.rows(slice));
    }
  }
  const { bands: statistics } = tally.of(grid);
  const bands = grid.bands.map(
    ({ name, unit, eum, valueKind, scale, offset, role, integer64, exactNodata, nodata, type }, n) => ({
      ...given({ name, unit, eum, valueKind, scale, offset, role }),
      type: integer64 ?? types.get(n) ?? type!,
      ...(nodata === undefined ? {} : { nodata: jsonNumber(exactNodata ?? nodata) }),
      ...statistics[n],
    }),
  );
  const { time, layers } = grid;
  Object.assign(inspection, {
    width,
    height,
    affine,
    ...(layers === undefined ? {} : { layers: layers.count }),
    ...(time === undefined ? {} : { time: inspectTime(time) }),
    bands,
  });
  return png;
}

const given = <T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;

/** JSON has no NaN and no infinities, and integers above 2^53 lose digits: returns these as text. */
const jsonNumber = (value: number | bigint): number | string =>
  typeof value === 'bigint'
    ? Number.isSafeInteger(Number(value))
      ? Number(value)
      : String(value)
    : finiteOrWord(value);

const finiteOrWord = (value: number): number | string => (Number.isFinite(value) ? value : String(value).toLowerCase());
