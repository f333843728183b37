import { type Dimensions, strideOf } from '../../../data/dimensions.ts';
import type { Geometry, GeometryType } from '../../../data/feature-collection.ts';
import { FormatError } from '../../../errors.ts';
import { ONE_VERTEX, PART_LEFT_OUT, withoutShortLines } from '../../../geo/vector/short-lines.ts';
import type { Context } from '../../define.ts';
import { CoordinatePool } from '../../io/coordinate-pool.ts';
import { WkbReader } from '../../io/wkb-reader.ts';
import { physical } from '../parquet/constants.ts';
import { leavesOf, type SchemaNode } from '../parquet/schema.ts';
import type { Entries } from './entries.ts';
import type { GeometrySource, NATIVE } from './geo-metadata.ts';
import { type Shape, shapeOf, take } from './shape.ts';
import type { TableColumn } from './table-rows.ts';

/** A geometry that cannot be read, with its reason. */
export class BadGeometry {
  readonly reason: FormatError;

  constructor(reason: FormatError) {
    this.reason = reason;
  }
}

/** How geometries are read. Values of the column are geometries, null, or BadGeometry. */
export interface GeometryColumn {
  readonly column: TableColumn;
  /** Whether heights or measures were left out. */
  hasDropped(): boolean;
}

const types: Readonly<Record<(typeof NATIVE)[number], GeometryType>> = {
  point: 'Point',
  linestring: 'LineString',
  polygon: 'Polygon',
  multipoint: 'MultiPoint',
  multilinestring: 'MultiLineString',
  multipolygon: 'MultiPolygon',
};

const depths = { Point: 0, LineString: 1, MultiPoint: 1, Polygon: 2, MultiLineString: 2, MultiPolygon: 3 } as const;

/** The type of a native encoding; undefined for WKB. */
export function nativeType(encoding: string): keyof typeof depths | undefined {
  return Object.hasOwn(types, encoding) ? (types[encoding as keyof typeof types] as keyof typeof depths) : undefined;
}

/** The groups of x, y, z, m of a native geometry column. */
export function coordinatesOf({ node, encoding }: Pick<GeometrySource, 'node' | 'encoding'>): readonly SchemaNode[] {
  const leaves = leavesOf(node);
  const axes = ['x', 'y', 'z', 'm'].flatMap((name) => leaves.find((leaf) => leaf.name === name) ?? []);
  const isNumber = ({ type }: SchemaNode) => type === physical.double || type === physical.float;
  if (axes[0]?.name !== 'x' || axes[1]?.name !== 'y' || !axes.every(isNumber))
    throw new FormatError(
      `The geometry column '${node.name.slice(0, 80)}' of the encoding '${encoding}' lacks x or y.`,
    );
  return axes;
}

export function geometryColumn(source: GeometrySource, dimensions: Dimensions, context: Context): GeometryColumn {
  const { node, encoding } = source;
  const stride = strideOf(dimensions);
  const checked = (geometry: Geometry): Geometry | BadGeometry => {
    const long = withoutShortLines(geometry, stride);
    if (long === undefined) return new BadGeometry(new FormatError(ONE_VERTEX));
    if (long !== geometry) context.remark(PART_LEFT_OUT);
    return long;
  };
  const type = nativeType(encoding);
  if (type !== undefined) return { column: nativeColumn(source, type, checked), hasDropped: () => false };
  if (encoding !== 'wkb')
    throw new FormatError(`The geometry has the encoding '${encoding.slice(0, 40)}', which is not known.`);
  if (node.type !== physical.bytes || node.maxRepetition > 0)
    throw new FormatError(`The geometry column '${node.name.slice(0, 80)}' has no bytes.`);
  const wkb = new WkbReader(dimensions, new CoordinatePool());
  const bytes = (buffer: Buffer, start: number, end: number): Geometry | BadGeometry => {
    try {
      return checked(wkb.read(buffer, start, end));
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      return new BadGeometry(error);
    }
  };
  const leaf = { type: node.type, length: node.length, bytes, fresh: true } as const;
  return { column: { name: node.name, leaves: [{ node, leaf }] }, hasDropped: () => wkb.hasDropped };
}

function nativeColumn(
  source: GeometrySource,
  type: keyof typeof depths,
  checked: (geometry: Geometry) => Geometry | BadGeometry,
): TableColumn {
  const { node } = source;
  const axes = coordinatesOf(source);
  const leaves = axes.map((leaf) => ({ node: leaf, leaf: { type: leaf.type!, length: leaf.length } }));
  const assemble = (entries: readonly Entries[]) => {
    const shapes = axes.map((axis, n) => axisShape(node, axis, entries[n]!, depths[type]));
    return () => {
      const numbers = shapes.map(take);
      if (numbers[0] === null || numbers[0] === undefined) return null;
      const geometry = fromNested(type, numbers);
      return geometry instanceof BadGeometry ? geometry : checked(geometry);
    };
  };
  return { name: node.name, leaves, assemble };
}

/** The lists of one coordinate, without the groups in which it stands. */
function axisShape(node: SchemaNode, axis: SchemaNode, entries: Entries, depth: number): Shape {
  const whole = shapeOf(node, () => [entries, true]);
  const only = (shape: Shape, lists: number): Shape => {
    if (lists === 0) return { kind: 'value', all: [entries] };
    if (shape.kind !== 'list')
      throw new FormatError(`The geometry column '${node.name.slice(0, 80)}' has fewer lists than its type needs.`);
    return { ...shape, all: [entries], element: only(shape.element, lists - 1) };
  };
  if (axis.maxRepetition !== depth)
    throw new FormatError(`The geometry column '${node.name.slice(0, 80)}' has more lists than its type needs.`);
  return only(whole, depth);
}

type Nested = readonly (number | null)[];

/** A geometry of nested lists, one for each coordinate. */
function fromNested(type: keyof typeof depths, axes: readonly unknown[]): Geometry | BadGeometry {
  if (type === 'Point') {
    const [x, y] = axes as (number | null)[];
    const isEmpty = x === null || y === null || (Number.isNaN(x) && Number.isNaN(y));
    return {
      type,
      coordinates: isEmpty ? new Float64Array(0) : Float64Array.from(axes as number[], (v) => v ?? Number.NaN),
    };
  }
  const uneven = () => new BadGeometry(new FormatError('A geometry has different numbers of x and y.'));
  if (axes.includes(null)) return uneven();
  const polygons: number[] = [];
  const parts = axes.map((axis, n) => {
    if (depths[type] === 1) return [axis as Nested];
    if (type !== 'MultiPolygon') return axis as Nested[];
    const all: Nested[] = [];
    for (const rings of axis as (Nested[] | null)[]) {
      if (rings === null || rings.length === 0) continue;
      if (n === 0) polygons.push(all.length);
      for (const ring of rings) all.push(ring);
    }
    return all;
  });
  const [first] = parts as [Nested[]];
  if (first.some((ring) => ring === null)) return new BadGeometry(new FormatError('A part of a geometry is null.'));
  const vertices = first.reduce((sum, ring) => sum + ring.length, 0);
  const stride = axes.length;
  const coordinates = new Float64Array(vertices * stride);
  const starts = new Uint32Array(first.length);
  for (const [axis, lists] of parts.entries()) {
    let at = 0;
    if (lists.length !== first.length) return uneven();
    for (const [n, list] of lists.entries()) {
      if (axis === 0) starts[n] = at;
      if (list?.length !== first[n]!.length) return uneven();
      for (const value of list) coordinates[at++ * stride + axis] = value ?? Number.NaN;
    }
  }
  if (depths[type] === 1) return { type, coordinates };
  return {
    type,
    coordinates,
    parts: starts,
    ...(type === 'MultiPolygon' ? { polygons: Uint32Array.from(polygons) } : {}),
  };
}
