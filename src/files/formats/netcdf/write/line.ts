import type { Grid } from '../../../data/grid.ts';
import type { ArrayItem, MultiArray } from '../../../data/multi-array.ts';
import { sliceSamples } from '../../../data/slice-samples.ts';
import { describeCrs, type KnownCrs } from '../../../geo/crs/crs.ts';
import type { ArraySpec } from '../../io/store/array-spec.ts';
import type { StoreContent } from '../../io/store/content.ts';

/** The distance along the line, and the place of each point. */
const CHAINAGE = 'chainage';
const places = ['x', 'y'] as const;

type Line = Grid & Required<Pick<Grid, 'places'>>;

export const isLine = (grid: Grid): grid is Line => grid.places?.x.length === grid.width && grid.height === 1;

/** A grid of one row along a line as an array over the distance, with the places as items of their own. */
export async function arrayOfLine(grid: Line): Promise<MultiArray> {
  const { affine, width, bands, time, crs } = grid;
  const system = crs && (await describeCrs(crs));
  const unit = system === undefined ? undefined : lengthUnit(system);
  const values = Float64Array.from({ length: width }, (_, n) => affine[0] + (n + 0.5) * affine[1]);
  const place = (name: 'x' | 'y'): ArrayItem => ({ name, type: 'Float64', axes: [0], overTime: false });
  return {
    kind: 'array',
    ...(crs === undefined ? {} : { crs }),
    ...(time === undefined ? {} : { time }),
    axes: [{ name: CHAINAGE, values, ...(unit === undefined ? {} : { unit }) }],
    items: [
      ...places.map(place),
      ...bands.map((band): ArrayItem => ({ ...band, axes: [0], overTime: time !== undefined })),
    ],
    async read(item, step, [start = 0], [count = width]) {
      const name = places[item];
      const all =
        name === undefined
          ? await sliceSamples(grid, { band: item - places.length, step, layer: 0 })
          : grid.places[name];
      return all.slice(start, start + count);
    },
  };
}

const lengthUnit = ({ geographic, unit }: KnownCrs): string => (geographic || unit.factor === 1 ? 'm' : unit.name);

/** Makes x and y coordinates of the other items. */
export async function withPlaces(content: StoreContent, { crs }: Line): Promise<StoreContent> {
  const system = crs && (await describeCrs(crs));
  const names = system?.geographic
    ? { x: ['longitude', 'degrees_east'], y: ['latitude', 'degrees_north'] }
    : { x: ['projection_x_coordinate', 'm'], y: ['projection_y_coordinate', 'm'] };
  const changed = (spec: ArraySpec): ArraySpec => {
    const name = places.find((one) => one === spec.name);
    if (name === undefined) return { ...spec, attributes: { ...spec.attributes, coordinates: places.join(' ') } };
    const { grid_mapping: _, ...attributes } = spec.attributes;
    const [standard_name, units] = names[name];
    return { ...spec, attributes: { ...attributes, ...(system === undefined ? {} : { standard_name, units }) } };
  };
  return { ...content, items: content.items.map((item) => ({ ...item, spec: changed(item.spec) })) };
}
