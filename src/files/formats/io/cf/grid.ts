import { defined } from '../../../data/defined.ts';
import type { Grid, LayerAxis } from '../../../data/grid.ts';
import { gridOf } from '../value-array.ts';
import type { Clock } from './clock.ts';
import { remarkOnLine } from './coordinates.ts';
import { type Dimension, type Dimensions, lineOf, longestDimension, type View } from './dimensions.ts';
import { affineOf, type HorizontalAxes } from './horizontal-axes.ts';
import { isDown, isParametric, isPressure } from './levels.ts';
import { type CfContext, textOf } from './variable.ts';

export async function asGrid(
  views: readonly View[],
  clock: Clock | undefined,
  place: HorizontalAxes | undefined,
  dimensions: Dimensions,
  context: CfContext,
): Promise<Grid | undefined> {
  const [first] = views;
  const key = ({ own, overTime }: View) => JSON.stringify([own.map(({ name, length }) => [name, length]), overTime]);
  const roles = first!.own.map(({ role }) => role).join(' ');
  if (place === undefined || !/^(?:level )?y x$/.test(roles) || views.some((view) => key(view) !== key(first!)))
    return undefined;
  const { x, y, crs } = place;
  const affine = await affineOf(place, dimensions, context);
  if (affine === undefined || x.length > longestDimension) return undefined;
  const level = first!.own.find(({ role }) => role === 'level');
  const layers = level && (await layersOf(level, dimensions, context));
  if (level !== undefined && layers === undefined) return undefined;
  const time = first!.overTime ? clock?.time : undefined;
  const head = defined({ width: x.length, height: y.length, affine, crs, time, layers }) as unknown as Omit<
    Grid,
    'kind' | 'bands' | 'rows'
  >;
  return gridOf(
    head,
    views.map(({ item }) => item),
    views.map(({ array }) => array),
  );
}

/** Evenly spaced heights, the lowest first. */
async function layersOf(level: Dimension, dimensions: Dimensions, context: CfContext): Promise<LayerAxis | undefined> {
  const coordinates = await lineOf(level, dimensions);
  if (coordinates?.line === undefined) return undefined;
  const { line, variable, values } = coordinates;
  if (isPressure(variable) || isParametric(variable)) return undefined;
  const { attributes } = variable.metadata;
  const down = isDown(variable, values);
  const first = down ? -line.first : line.first;
  const step = down ? -line.step : line.step;
  remarkOnLine(coordinates, context);
  const units = textOf(attributes.units);
  const lowest = step < 0 ? first + (level.length - 1) * step : first;
  return {
    count: level.length,
    first: lowest + 0,
    spacing: Math.abs(step),
    ...(units === undefined ? {} : { unit: units }),
  };
}
