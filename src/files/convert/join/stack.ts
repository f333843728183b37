import type { Grid } from '../../data/grid.ts';
import type { Mesh } from '../../data/mesh.ts';
import type { ArrayItem, MultiArray } from '../../data/multi-array.ts';
import { sameNumbers } from '../../data/number-arrays.ts';
import { ConversionError } from '../../errors.ts';
import type { Context } from '../../formats/define.ts';
import { isNear } from '../../formats/io/flip-rows.ts';
import { checkSameCells } from '../append/append-meshes.ts';
import { keptExact } from '../append/join-items.ts';
import type { StackAxis } from '../steps/join-shapes.ts';
import { type InputFiles, ofKind } from './input-files.ts';
import { checkCrs, checkLayers, checkSteps } from './same-place.ts';
import { ItemStack, type Stackable, type StackPlan, sameItems, TimeStack } from './stack-plan.ts';
import { stackSeries } from './stack-series.ts';
import { StackedTimes } from './stacked-times.ts';

type Items = Grid['bands'][number] | Exclude<Stackable, Grid>['items'][number];

/**
 * Joins files with the same cells: by time their steps, sorted, by items their items.
 * @param srid the request gives the coordinate system of all files
 * @throws ConversionError that names a file that does not fit
 */
export async function stack(
  files: InputFiles,
  { by, srid }: { by: StackAxis; srid: string | undefined },
  context: Context,
): Promise<Stackable> {
  const all: (readonly Items[])[] = [];
  const times = new StackedTimes(files);
  let first: Stackable | undefined;
  for (let n = 0; n < files.files.length; n++)
    await files.use(n, async (data) => {
      if (data.kind === 'bytes' || data.kind === 'features')
        throw new ConversionError('It has no items over time, so it cannot be stacked.');
      first ??= data;
      await checkPlace(first, data, srid);
      if (by === 'time') times.add(n, data.time);
      else if (first.time?.spacing === 'pulled' || data.time?.spacing === 'pulled')
        throw new ConversionError('Its times are known only after they were read, so its items cannot be stacked.');
      else checkSteps(first.time, data.time);
      const items = data.kind === 'grid' ? data.bands : data.items;
      if (by === 'time') sameItems(all[0] ?? items, items);
      all.push(items);
      context.progress((0.1 * (n + 1)) / files.files.length, 'Reading');
    });
  const time = first!.time?.spacing === 'pulled' ? undefined : first!.time;
  const plan = by === 'time' ? new TimeStack(files, all, times.sort()) : new ItemStack(files, all, time);
  return stacked(first!, plan);
}

/** @throws ConversionError unless both have the same cells */
async function checkPlace(first: Stackable, data: Stackable, srid: string | undefined): Promise<void> {
  const other = ofKind(data, first.kind);
  if (srid === undefined) await checkCrs(first, other);
  if (first.kind === 'grid') checkGrid(first, other as Grid);
  else if (first.kind === 'mesh') checkSameCells(first, other as Mesh, ['the first file', 'this one']);
  else if (first.kind === 'array') checkArray(first, other as MultiArray);
}

function checkGrid(first: Grid, other: Grid): void {
  checkLayers(first.layers, other.layers);
  const [one, two] = [first, other].map(({ width, height }) => `${width} × ${height}`);
  if (one !== two) throw new ConversionError(`It has ${two} cells, and the first file ${one}.`);
  if (isNear(first, other.affine) && first.located === other.located) return;
  throw new ConversionError(
    'Its cells lie at other places than those of the first file. Join them as a mosaic, or resample it first (resampleTransformation).',
  );
}

function checkArray(first: MultiArray, other: MultiArray): void {
  const [one, two] = [first, other].map(({ axes }) =>
    axes.map(({ name, values }) => `${name} (${values.length})`).join(', '),
  );
  if (one !== two) throw new ConversionError(`It has the dimensions ${two}, and the first file ${one}.`);
  const axis = first.axes.find(({ values }, n) => !sameNumbers(values, other.axes[n]!.values));
  if (axis !== undefined)
    throw new ConversionError(`It has other coordinates than the first file on the dimension '${axis.name}'.`);
  const [place, otherPlace] = [first.placement, other.placement];
  const nodes = [place, otherPlace].map((one) => (one?.by === 'nodes' ? one : undefined));
  const same =
    place?.by === otherPlace?.by &&
    (place?.by !== 'affine' || JSON.stringify(place) === JSON.stringify(otherPlace)) &&
    sameNumbers(nodes[0]?.nodeX ?? [], nodes[1]?.nodeX ?? []) &&
    sameNumbers(nodes[0]?.nodeY ?? [], nodes[1]?.nodeY ?? []);
  if (!same) throw new ConversionError('Its cells lie at other places than those of the first file.');
}

/** The first file with the items and steps of the plan. */
function stacked(first: Stackable, plan: StackPlan<Items>): Stackable {
  const changed = first.origin === undefined ? {} : { origin: { ...first.origin, changed: true as const } };
  switch (first.kind) {
    case 'grid':
      return { ...stackGrids(first, plan as StackPlan<Grid['bands'][number]>), ...changed };
    case 'mesh':
      return { ...stackMeshes(first, plan as StackPlan<Mesh['items'][number]>), ...changed };
    case 'array':
      return { ...stackArrays(first, plan as StackPlan<ArrayItem>), ...changed };
    case 'series':
      return { ...stackSeries(first, plan), ...changed };
  }
}

function stackGrids(first: Grid, plan: StackPlan<Grid['bands'][number]>): Grid {
  const { rows: _, read: __, time: ___, ...rest } = first;
  const { files, items, time } = plan;
  return {
    ...rest,
    bands: items,
    ...(time === undefined ? {} : { time }),
    rows(slice, range) {
      const { file, step, itemIn } = plan.find(slice.band, slice.step);
      return files.each(file, 'grid', async function* (grid) {
        const band = itemIn(grid.bands);
        const [from, to] = [grid.bands[band]!, items[slice.band]!];
        for await (const { firstRow, rowCount, samples, exact } of grid.rows({ ...slice, band, step }, range)) {
          const kept = keptExact(exact, from, to);
          const values = kept.exact === undefined ? plan.convert(slice.band, exact ?? samples, from, file) : samples;
          yield { firstRow, rowCount, samples: values, ...kept };
        }
      });
    },
  };
}

function stackMeshes(first: Mesh, plan: StackPlan<Mesh['items'][number]>): Mesh {
  const { values: _, heights, blocks: __, time: ___, ...rest } = first;
  const { files, items, time } = plan;
  return {
    ...rest,
    items,
    ...(time === undefined ? {} : { time }),
    ...(heights === undefined
      ? {}
      : {
          heights: (n: number) => {
            const { file, step } = plan.find(0, n);
            return files.use(file, async (data) => ofKind(data, 'mesh').heights!(step));
          },
        }),
    values(item, n) {
      const { file, step, itemIn } = plan.find(item, n);
      return files.use(file, async (data) => {
        const mesh = ofKind(data, 'mesh');
        const from = itemIn(mesh.items);
        return plan.convert(item, await mesh.values(from, step), mesh.items[from]!, file);
      });
    },
  };
}

function stackArrays(first: MultiArray, plan: StackPlan<ArrayItem>): MultiArray {
  const { read: _, time: __, ...rest } = first;
  const { files, items, time } = plan;
  // files with one step each: all their items are over time
  const overTime = plan instanceof TimeStack && first.time === undefined;
  return {
    ...rest,
    items: items.map((item) => (overTime ? { ...item, overTime } : item)),
    ...(time === undefined ? {} : { time }),
    read(item, n, start, shape) {
      const { file, step, itemIn } = plan.find(item, overTime || items[item]!.overTime ? n : 0);
      return files.use(file, async (data) => {
        const array = ofKind(data, 'array');
        const from = itemIn(array.items);
        return plan.convert(item, await array.read(from, step, start, shape), array.items[from]!, file);
      });
    },
  };
}
