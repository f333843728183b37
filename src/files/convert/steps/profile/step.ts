import type { Data } from '../../../data/data.ts';
import type { FeatureCollection } from '../../../data/feature-collection.ts';
import { type Grid, layersOf, type TypedBand } from '../../../data/grid.ts';
import type { Item } from '../../../data/item.ts';
import type { Mesh } from '../../../data/mesh.ts';
import { convertSamples } from '../../../data/samples.ts';
import { ConversionError } from '../../../errors.ts';
import { parseSrid } from '../../../geo/crs/crs.ts';
import { ellipsoidOf } from '../../../geo/profile/ellipsoid.ts';
import { type LinePoints, pointsAlong } from '../../../geo/profile/points-along.ts';
import { meshLayers } from '../mesh-layers.ts';
import { checkSame } from '../resample/target-cells.ts';
import type { StepContext } from '../step-context.ts';
import { gridLine, type LineValues, meshLine } from './line-values.ts';
import { pointFeatures } from './point-features.ts';
import type { ProfileTransformation } from './transformation.ts';

/** Values of a grid or a mesh along a line: a grid of one row over the distance, or points. */
export async function apply(
  data: Data,
  step: ProfileTransformation,
  { context, makes, stem }: StepContext,
): Promise<Grid | FeatureCollection> {
  if (data.kind !== 'grid' && data.kind !== 'mesh') throw new ConversionError('A profile needs a grid or a mesh.');
  if (step.srid !== undefined) await checkSame(data.crs, parseSrid(step.srid), 'the line of the profile');
  const ellipsoid = data.crs && (await ellipsoidOf(data.crs));
  const points = pointsAlong(step.line, step.spacing, ellipsoid);
  const { layers, values, outside } =
    data.kind === 'grid' ? ofGrid(data, points, step) : ofMesh(data, points, step, context.remark);
  const beyond = outside.reduce((sum, one) => sum + one, 0);
  if (beyond === outside.length) throw new ConversionError('The line of the profile lies outside of the data.');
  if (beyond > 0)
    context.remark(`${beyond} of ${outside.length} points of the profile lie outside of the data and have no values.`);
  const line = lineGrid(data, data.kind === 'grid' ? data.bands : data.items, points, step.spacing, layers, values);
  return makes === 'features' ? pointFeatures(line, points, step.spacing, stem) : line;
}

function lineGrid(
  { crs, time }: Grid | Mesh,
  items: readonly Item[],
  places: LinePoints,
  spacing: number,
  layers: number,
  valuesOf: LineValues,
): Grid {
  const bands = items.flatMap((item, n) =>
    Array.from({ length: layers }, (_, layer) => bandOf(item, n, layers > 1 ? layer : undefined)),
  );
  return {
    kind: 'grid',
    width: places.x.length,
    height: 1,
    affine: [-spacing / 2, spacing, 0, -spacing / 2, 0, spacing],
    located: false,
    places,
    ...(crs === undefined ? {} : { crs }),
    ...(time === undefined ? {} : { time }),
    bands,
    async *rows({ band, step }) {
      const values = await valuesOf(Math.floor(band / layers), step, band % layers);
      yield { firstRow: 0, rowCount: 1, samples: convertSamples(values, bands[band]!.type) };
    },
  };
}

/**
 * Layers become items of their own. Values are floats, with scale and offset applied. Values between those of cells may
 * be any number, so no data is NaN.
 */
function bandOf(item: Item, n: number, layer: number | undefined): TypedBand {
  const { name, unit, eum, valueKind, type = 'Float64', scale, offset } = item;
  const own = name ?? `Item ${n + 1}`;
  const packed = scale !== undefined || offset !== undefined;
  const isSingle = type !== 'Float64' && type !== 'Int32' && type !== 'UInt32' && !packed;
  return {
    name: layer === undefined ? own : `${own}, layer ${layer}`,
    ...(unit === undefined ? {} : { unit }),
    ...(eum === undefined ? {} : { eum }),
    ...(valueKind === undefined ? {} : { valueKind }),
    type: isSingle ? 'Float32' : 'Float64',
    nodata: Number.NaN,
  };
}

interface Line {
  readonly layers: number;
  readonly values: LineValues;
  /** 1 for points outside of the data. */
  readonly outside: Uint8Array;
}

function ofGrid(grid: Grid, points: LinePoints, { method }: ProfileTransformation): Line {
  return { layers: layersOf(grid), ...gridLine(grid, points, method) };
}

function ofMesh(
  mesh: Mesh,
  points: LinePoints,
  { method }: ProfileTransformation,
  remark: (text: string) => void,
): Line {
  const { count, layerOf } = meshLayers(mesh, 'profile');
  if (mesh.items.some(({ location }) => location === 'cell'))
    remark('Values of elements stand along the profile as they are: each point has that of the element around it.');
  const { values, outsideOf } = meshLine(mesh, layerOf, points, method);
  const outside = points.x.length === 0 ? new Uint8Array() : outsideOf(0).slice();
  for (let layer = 1; layer < count; layer++) for (const [n, one] of outsideOf(layer).entries()) outside[n]! &= one;
  return { layers: count, values, outside };
}
