import { releaseBuffer } from '../../../data/buffer-pool.ts';
import type { Data } from '../../../data/data.ts';
import type { Feature, FeatureCollection, Field } from '../../../data/feature-collection.ts';
import type { Grid } from '../../../data/grid.ts';
import { cellSize, layersOf } from '../../../data/grid.ts';
import type { Item } from '../../../data/item.ts';
import type { Mesh } from '../../../data/mesh.ts';
import { realValues } from '../../../data/real-values.ts';
import { stepsOf, type TimeAxis } from '../../../data/time-axis.ts';
import { ConversionError } from '../../../errors.ts';
import { needsStep } from '../../../formats/io/needs-step.ts';
import { Contouring, leastDistance } from '../../../geo/contour/contour-geometries.ts';
import { GridContours } from '../../../geo/contour/grid-contours.ts';
import type { StepContext } from '../step-context.ts';
import { timeField, timeValue } from '../time-field.ts';
import { meshSlices } from './mesh-slices.ts';
import type { SliceContours } from './slice-contours.ts';
import type { ContoursTransformation } from './transformation.ts';

/** Features and vertices of a chunk. */
const perChunk = 512;
const verticesPerChunk = 50_000;

/** Lines on levels, or polygons between them, of a grid or a mesh. */
export async function apply(data: Data, step: ContoursTransformation, shared: StepContext): Promise<FeatureCollection> {
  if (data.kind === 'grid')
    return contourFeatures(data, data.bands, layersOf(data), gridSlices(data, step), step, shared);
  if (data.kind !== 'mesh') throw new ConversionError('Contours need a grid or a mesh.');
  const { layers, slices } = meshSlices(data, step, shared.context);
  return contourFeatures(data, data.items, layers, slices, step, shared);
}

function gridSlices(grid: Grid, { levels, as }: ContoursTransformation): SliceContours {
  const { affine, width, height } = grid;
  const [x0, a, b, y0, c, d] = affine;
  const largest = Math.max(
    ...[0, width].flatMap((x) =>
      [0, height].flatMap((y) => [Math.abs(x0 + a * x + b * y), Math.abs(y0 + c * x + d * y)]),
    ),
  );
  const apart = leastDistance(cellSize(grid), largest);
  return async function* (band, step, layer) {
    const contouring = new Contouring(levels, as === 'polygons', 1, apart, affine);
    const contours = new GridContours(contouring.builder, width, apart);
    const levelAt = (number: number) => contouring.builder.levels.at(number);
    for await (const { samples, rowCount } of grid.rows({ band, step, layer })) {
      const values = realValues(samples, grid.bands[band]!);
      releaseBuffer(samples);
      for (let row = 0; row < rowCount; row++) {
        contours.add(values.subarray(row * width, (row + 1) * width));
        const geometries = contouring.take();
        if (geometries.length > 0) yield { geometries, levelAt };
      }
    }
    contours.end();
    yield { geometries: contouring.take(), levelAt };
  };
}

interface Sliced {
  readonly crs?: FeatureCollection['crs'];
  readonly time?: TimeAxis;
}

function contourFeatures(
  data: Sliced & (Grid | Mesh),
  items: readonly Item[],
  layers: number,
  slices: SliceContours,
  { as }: ContoursTransformation,
  { context, stem, applied }: StepContext,
): FeatureCollection {
  needsStep(data);
  const { time } = data;
  const steps = stepsOf(data);
  const chosen = (all: number, isFiltered: boolean) => (isFiltered ? all : Math.min(1, all));
  const itemCount = chosen(items.length, applied.includes('ItemFilterTransformation'));
  const stepCount = chosen(steps, applied.includes('TemporalFilterTransformation'));
  const nameOf = (item: number) => items[item]!.name ?? `Item ${item + 1}`;
  if (itemCount < items.length)
    context.reportLoss(
      `The contours are those of the first of ${items.length} items, ${nameOf(0)}. Choose others with an item filter.`,
    );
  if (stepCount < steps)
    context.reportLoss(`The contours are those of the first of ${steps} steps. Choose others with a temporal filter.`);
  const fields: Field[] = [
    ...(as === 'lines' ? ['level'] : ['minimum', 'maximum']).map((name): Field => ({ name, type: 'real' })),
    { name: 'item', type: 'string' },
    ...(time === undefined ? [] : [timeField(time)]),
    ...(layers > 1 ? [{ name: 'layer', type: 'integer' } as const] : []),
  ];
  return {
    kind: 'features',
    name: stem,
    ...(data.crs === undefined ? {} : { crs: data.crs }),
    fields,
    hasZ: false,
    hasM: false,
    geometryTypes: [as === 'lines' ? 'LineString' : 'Polygon'],
    async *chunks() {
      let chunk: Feature[] = [];
      let vertices = 0;
      for (let item = 0; item < itemCount; item++)
        for (let step = 0; step < stepCount; step++)
          for (let layer = 0; layer < layers; layer++) {
            const common = [
              nameOf(item),
              ...(time === undefined ? [] : [timeValue(time, step)]),
              ...(layers > 1 ? [layer] : []),
            ];
            for await (const { geometries, levelAt } of slices(item, step, layer)) {
              context.signal.throwIfAborted();
              for (const { number, geometry } of geometries) {
                const levels = as === 'lines' ? [levelAt(number)] : [levelAt(number), levelAt(number + 1)];
                chunk.push({ geometry, values: [...levels, ...common] });
                vertices += geometry.coordinates.length / 2;
                if (chunk.length < perChunk && vertices < verticesPerChunk) continue;
                yield chunk;
                [chunk, vertices] = [[], 0];
              }
            }
          }
      if (chunk.length > 0) yield chunk;
    },
  };
}
