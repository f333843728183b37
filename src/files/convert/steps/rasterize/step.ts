import { Box } from '../../../data/box.ts';
import type { Data } from '../../../data/data.ts';
import { strideOf, withDimensions } from '../../../data/dimensions.ts';
import type { Feature, FeatureCollection, Field } from '../../../data/feature-collection.ts';
import type { Grid } from '../../../data/grid.ts';
import type { Samples } from '../../../data/item.ts';
import { sampleArrays } from '../../../data/samples.ts';
import { ConversionError } from '../../../errors.ts';
import { BurnedRows } from '../../../geo/raster/burn.ts';
import { fieldIndex } from '../find-field.ts';
import { targetCells } from '../resample/target-cells.ts';
import type { StepContext } from '../step-context.ts';
import { BurntValues } from './burnt-values.ts';
import type { RasterizeTransformation } from './transformation.ts';

/** Maximum number of cells burned at a time; the features are read once for each such part of the raster. */
const maxCells = 1 << 24;
const rowsPerBlock = 64;
const numeric: readonly Field['type'][] = ['integer', 'integer64', 'real', 'boolean'];

/** Burns features into a raster. */
export async function apply(data: Data, step: RasterizeTransformation, shared: StepContext): Promise<Grid> {
  if (data.kind !== 'features') throw new ConversionError('The data have no features to rasterize.');
  const numberOf = valueReader(data.fields, step);
  const { box, values } = await survey(data, numberOf, step, shared);
  const { width, height, affine } = await targetCells({ ...placeOf(box, step), ...crsOf(data) }, step, shared);
  const { type, nodata } = values.band();
  const part = Math.max(1, Math.min(height, Math.floor(maxCells / width)));
  const burnt = async (top: number): Promise<Samples> => {
    const bottom = Math.min(height, top + part);
    const samples = new sampleArrays[type]((bottom - top) * width).fill(nodata);
    const rows = new BurnedRows(samples, { width, height, affine }, { top, bottom }, step);
    for await (const chunk of data.chunks())
      for (const { geometry, values: given } of chunk) {
        const value = geometry && numberOf(given);
        if (value !== undefined) rows.burn(withDimensions(geometry!, data, { hasZ: false, hasM: false }), value);
      }
    return samples;
  };
  let last: { readonly top: number; readonly samples: Samples } | undefined;
  return {
    kind: 'grid',
    width,
    height,
    affine,
    ...crsOf(data),
    bands: [{ name: 'field' in step.burn ? step.burn.field : 'value', type, nodata }],
    async *rows(_slice, { first, end } = { first: 0, end: height }) {
      for (let row = first; row < end; ) {
        const top = row - (row % part);
        if (last?.top !== top) last = { top, samples: await burnt(top) };
        const rowCount = Math.min(rowsPerBlock, end - row, top + part - row);
        const at = (row - top) * width;
        yield { firstRow: row, rowCount, samples: last.samples.slice(at, at + rowCount * width) };
        row += rowCount;
      }
    },
  };
}

const crsOf = ({ crs }: FeatureCollection) => (crs === undefined ? {} : { crs });

/** The value that a feature burns; undefined for one without a number. Calls `rounds` if it is not exactly that. */
type ValueOf = (values: Feature['values'], rounds?: () => void) => number | undefined;

function valueReader(fields: readonly Field[], { burn }: RasterizeTransformation): ValueOf {
  if ('value' in burn) return () => burn.value;
  const index = fieldIndex(fields, burn.field, 'The features');
  const { name, type, untyped } = fields[index]!;
  if (!numeric.includes(type) && !untyped)
    throw new ConversionError(`The field '${name}' is of the type ${type}. Rasterize a field of numbers, or a value.`);
  return (values, rounds) => {
    const value = values[index];
    if (value === null || value === undefined) return undefined;
    const number = Number(value);
    if (typeof value === 'bigint' && BigInt(number) !== value) rounds?.();
    return Number.isFinite(number) ? number : undefined;
  };
}

/** Reads all features once, for their extent and values. */
async function survey(
  data: FeatureCollection,
  numberOf: ValueOf,
  { burn, method }: RasterizeTransformation,
  { context }: StepContext,
): Promise<{ box: Box; values: BurntValues }> {
  const box = new Box();
  const values = new BurntValues(method);
  const stride = strideOf(data);
  let [features, without, rounded] = [0, 0, 0];
  const rounds = () => void rounded++;
  for await (const chunk of data.chunks()) {
    context.signal.throwIfAborted();
    for (const { geometry, values: given } of chunk) {
      features++;
      const value = geometry && numberOf(given, rounds);
      if (value === undefined) without++;
      else {
        box.addGeometry(geometry!, stride);
        values.add(value);
      }
    }
  }
  if (without === features)
    throw new ConversionError(
      `None of the ${features} features has a place${'field' in burn ? ` and a number in the field '${burn.field}'` : ''}, so there is nothing to rasterize.`,
    );
  if (without > 0)
    context.remark(
      `${without} of ${features} features were left out: they have no place${'field' in burn ? `, or no number in the field '${burn.field}'` : ''}.`,
    );
  if (rounded > 0) context.reportLoss(`${rounded} integers were rounded to double precision.`);
  return { box, values };
}

/** The extent of the features as one cell. Features in a line have the width of a cell. */
function placeOf({ west, south, east, north }: Box, { cellSize = [1, 1] }: RasterizeTransformation) {
  const width = east > west ? east - west : cellSize[0];
  const height = north > south ? north - south : cellSize[1];
  return { width: 1, height: 1, affine: [west, width, 0, north, 0, -height] } as const;
}
