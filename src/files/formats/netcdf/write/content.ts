import type { Data } from '../../../data/data.ts';
import type { Grid } from '../../../data/grid.ts';
import type { Item, ValueKind } from '../../../data/item.ts';
import type { Mesh } from '../../../data/mesh.ts';
import type { Series } from '../../../data/series.ts';
import type { TimeAxis } from '../../../data/time-axis.ts';
import type { Context, Provenance } from '../../define.ts';
import { udunitsOf } from '../../io/cf/units.ts';
import { productVersion } from '../../io/product-version.ts';
import { arrayContent } from '../../io/store/array-content.ts';
import type { ArraySpec, Attributes } from '../../io/store/array-spec.ts';
import { type StoreContent, type WholeArray, wholeArray } from '../../io/store/content.ts';
import { CRS } from '../../io/store/crs.ts';
import { ATTRIBUTE } from '../../io/store/description.ts';
import { gridContent } from '../../io/store/grid-content.ts';
import { meshContent } from '../../io/store/mesh-content.ts';
import { netCdfNaming } from '../../io/store/naming.ts';
import { TIME, timeArray } from '../../io/store/time.ts';
import { cellsOfArray } from './curvilinear-cells.ts';
import { mappingParameters } from './mapping-parameters.ts';

const conventions = 'CF-1.11 UGRID-1.0';
const BOUNDS = 'time_bnds';

/**
 * The arrays of a grid, mesh or array with the attributes of CF 1.11 and UGRID 1.0.
 * @param ofMesh the arrays of a mesh; by default those that hold its cells as they are
 */
export async function contentFor(
  data: Exclude<Data, { kind: 'bytes' | 'features' | 'series' }>,
  context: Pick<Context, 'provenance'>,
  ofMesh: (mesh: Mesh) => Promise<StoreContent> = (mesh) => meshContent(mesh, netCdfNaming),
): Promise<StoreContent> {
  const content =
    data.kind === 'grid'
      ? await gridContent(data, netCdfNaming)
      : data.kind === 'mesh'
        ? await ofMesh(data)
        : await arrayContent(data, netCdfNaming);
  const items: readonly Item[] = data.kind === 'grid' ? data.bands : data.items;
  const bounds = content.time && boundsOf(content.time, items);
  const mapping =
    data.crs === undefined || content.scalars.every(({ name }) => name !== CRS)
      ? {}
      : await mappingParameters(data.crs);
  const cells =
    data.kind === 'grid' ? centresOf(data, mapping) : data.kind === 'array' ? await cellsOfArray(data, content) : [];
  const coordinates =
    cells.length === 0
      ? {}
      : {
          coordinates: cells
            .slice(0, 2)
            .map(({ spec }) => spec.name)
            .join(' '),
        };
  return {
    ...content,
    ...boundsAttribute(bounds),
    attributes: fileAttributes(content.attributes, context),
    scalars: content.scalars.map((spec) =>
      spec.name === CRS ? withAttributes(spec, { ...mapping, ...spec.attributes }) : cfSpec(spec),
    ),
    wholes: [
      ...content.wholes.map((whole) => ({ ...whole, spec: cfSpec(whole.spec) })),
      ...cells,
      ...(bounds === undefined ? [] : [bounds]),
    ],
    items: content.items.map((item) => {
      const spec = cfSpec(item.spec);
      const onCells = cells.every(({ spec: cell }) =>
        cell.dimensions.slice(0, 2).every((one) => spec.dimensions.includes(one)),
      );
      return onCells
        ? { ...item, spec: withAttributes(spec, { ...spec.attributes, ...coordinates }) }
        : { ...item, spec };
    }),
  };
}

/** Attributes of the file; the description is a text. */
export const fileAttributes = (
  { [ATTRIBUTE]: description, ...attributes }: Attributes,
  { provenance }: Pick<Context, 'provenance'>,
): Attributes => ({
  _NCProperties: `version=2,hydrofiles=${productVersion}`,
  ...attributes,
  Conventions: conventions,
  source: `hydrofiles ${productVersion}`,
  history: `${new Date().toISOString().slice(0, 19)}Z: ${stepsTo(provenance).join(', ')}`,
  [ATTRIBUTE]: JSON.stringify(description),
});

const stepsTo = (provenance: Provenance | undefined): string[] => [
  ...(provenance === undefined ? [] : [provenance.reader, ...provenance.transformations]),
  'NetCdfWriter',
];

const withAttributes = (spec: ArraySpec, attributes: Attributes): ArraySpec => ({ ...spec, attributes });

/** Attributes whose values have the type of the variable; units that UDUNITS does not know stand as a symbol. */
export function cfSpec(spec: ArraySpec): ArraySpec {
  const { _FillValue, units, ...attributes } = spec.attributes;
  const { axis, ...unplaced } = attributes;
  // Without a coordinate system, CF would take an axis X or Y for longitudes or latitudes.
  const own =
    units === undefined && /^[XY]$/.test(String(axis)) && attributes.standard_name === undefined
      ? unplaced
      : attributes;
  const known = typeof units !== 'string' || isUnitOfTime(units) ? units : udunitsOf(units);
  return withAttributes(spec, {
    ...(attributes.long_name === undefined && attributes.standard_name === undefined
      ? { long_name: spec.name.replaceAll('_', ' ') }
      : {}),
    ...own,
    ...(known === undefined ? (units === undefined ? {} : { unit_symbol: units }) : { units: degreesOf(units, known) }),
    ...(_FillValue === undefined ? {} : { _FillValue: spec.fill }),
  });
}

const isUnitOfTime = (units: string): boolean =>
  / since /.test(units) || /^(?:milliseconds|seconds|minutes|hours|days)$/.test(units);

/** Longitudes and latitudes keep the words that tell them apart. */
const degreesOf = (units: unknown, known: unknown): unknown => (/^degrees_/.test(String(units)) ? units : known);

/** How the bounds of steps lie to their times, by kind of value. */
const bounded: Partial<Record<ValueKind, (n: number, times: Float64Array) => number>> = {
  accumulated: (_, times) => times[0]!,
  stepAccumulated: (n, times) => times[n - 1] ?? times[0]! - ((times[1] ?? times[0]!) - times[0]!),
  meanStepBackward: (n, times) => times[n - 1] ?? times[0]! - ((times[1] ?? times[0]!) - times[0]!),
  meanStepForward: (n, times) => times[n + 1] ?? times.at(-1)! + (times.at(-1)! - (times.at(-2) ?? times.at(-1)!)),
};

/** The attribute of the times that names their bounds. */
export const boundsAttribute = (bounds: WholeArray | undefined): Pick<StoreContent, 'timeAttributes'> =>
  bounds === undefined ? {} : { timeAttributes: { bounds: BOUNDS } };

/** The bounds of the steps of the first item that is a mean or a sum. */
export function boundsOf(time: TimeAxis, items: readonly Pick<Item, 'valueKind'>[]): WholeArray | undefined {
  const kind = items.map(({ valueKind }) => valueKind).find((one) => one !== undefined && bounded[one] !== undefined);
  const other = kind && bounded[kind];
  if (other === undefined) return undefined;
  const { values: times } = timeArray(time);
  const pairs = Float64Array.from({ length: 2 * times.length }, (_, n) => {
    const step = Math.floor(n / 2);
    const own = (n % 2 === 0) === (kind === 'meanStepForward');
    return own ? times[step]! : other(step, times);
  });
  const { spec, values } = wholeArray(BOUNDS, 'Float64', pairs, {
    dimensions: [TIME, 'bound'],
    shape: [times.length, 2],
  });
  return { spec: cfSpec(spec), values };
}

/** Times of series that come with the values are read first. */
export async function knownTime(
  { time, chunks }: Pick<Series, 'time' | 'chunks'>,
  signal: AbortSignal,
): Promise<TimeAxis> {
  if (time.spacing !== 'pulled') return time;
  const parts: Float64Array[] = [];
  for await (const { offsets } of chunks()) {
    signal.throwIfAborted();
    parts.push(offsets.slice());
  }
  return { ...time, spacing: 'nonEquidistant', offsets: Float64Array.from(parts.flatMap((part) => [...part])) };
}

const mostCentres = 1 << 24;

/** x and y of the cells of a rotated grid, which has none for its rows and columns. */
function centresOf({ width, height, affine }: Grid, mapping: Attributes): WholeArray[] {
  const [x, a, b, y, c, d] = affine;
  if ((b === 0 && c === 0) || width * height > mostCentres || mapping.grid_mapping_name === undefined) return [];
  const geographic = mapping.grid_mapping_name === 'latitude_longitude';
  const along = (name: string, axis: 'x' | 'y', first: number, perColumn: number, perRow: number) => {
    const values = new Float64Array(width * height);
    for (let row = 0; row < height; row++)
      for (let column = 0; column < width; column++)
        values[row * width + column] = first + (column + 0.5) * perColumn + (row + 0.5) * perRow;
    const names = geographic
      ? { x: ['longitude', 'degrees_east'], y: ['latitude', 'degrees_north'] }
      : { x: ['projection_x_coordinate', 'm'], y: ['projection_y_coordinate', 'm'] };
    const [standard_name, units] = names[axis];
    return wholeArray(name, 'Float64', values, {
      dimensions: ['y', 'x'],
      shape: [height, width],
      attributes: { standard_name, units },
    });
  };
  return [along('x_of_cell', 'x', x, a, b), along('y_of_cell', 'y', y, c, d)];
}
