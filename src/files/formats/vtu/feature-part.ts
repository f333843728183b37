import { byKind } from '../../data/collections.ts';
import { strideOf } from '../../data/dimensions.ts';
import { distinctName } from '../../data/distinct-name.ts';
import type { Feature, FeatureCollection, Field, Geometry } from '../../data/feature-collection.ts';
import type { Samples } from '../../data/item.ts';
import { CELL_SHAPES } from '../../data/mesh.ts';
import { NumberList } from '../../data/number-list.ts';
import { isClosed } from '../../geo/vector/rings.ts';
import type { Context } from '../define.ts';
import { ArrayEncoder, encodeArray, type VtuArray } from './encode.ts';
import { sridField } from './field-data.ts';
import { cellArrays, encodeAll } from './mesh-parts.ts';
import type { Part } from './part.ts';

/**
 * Points become vertices, lines polylines, polygons polygons; each geometry has nodes of its own. Fields of numbers
 * become arrays of the points where all features are points, else of the cells.
 */
export async function featurePart(features: FeatureCollection, context: Context): Promise<Part> {
  reportHeader(features, context);
  const srid = await sridField(features.crs, context);
  const cells = new FeatureCells(features);
  let number = 0;
  let without = 0;
  let hasIds = false;
  for await (const chunk of features.chunks()) {
    for (const feature of chunk) {
      number++;
      hasIds ||= feature.id !== undefined;
      if (feature.geometry === undefined) without++;
      else cells.add(feature.geometry, feature);
    }
    await cells.drain();
  }
  if (without > 0) context.reportLoss(`${without} of ${number} features have no geometry and were left out.`);
  if (cells.holes > 0) context.reportLoss(`Polygons of a VTU file have no holes; ${cells.holes} were filled.`);
  if (cells.withoutZ > 0)
    context.reportLoss(
      `${cells.withoutZ} vertices have no height (Z); the VTU file has them at 0, and NaN in the array Z.`,
    );
  if (hasIds) context.reportLoss('Ids of features were left out: a VTU file has none.');
  if (cells.parts > 0)
    context.reportLoss(`${cells.parts} geometries of several parts became a cell for each part, in their order.`);
  if (cells.rounded > 0) context.reportLoss(`${cells.rounded} integers were rounded to double precision.`);
  if (cells.empty > 0) context.remark(`${cells.empty} missing numbers (null) became NaN.`);
  return cells.part(features, srid, context);
}

function reportHeader({ fields, hasM }: FeatureCollection, { reportLoss }: Context): void {
  const texts = fields.filter((field) => !isNumeric(field)).map(({ name }) => `'${name}'`);
  if (texts.length > 0) reportLoss(`A VTU file holds numbers only; the fields ${texts.join(', ')} were left out.`);
  if (hasM) reportLoss('A VTU file cannot store measures (M); they were dropped.', 'measures');
}

const numeric = new Set<Field['type']>(['integer', 'integer64', 'real', 'boolean']);
const isNumeric = ({ type }: Field): boolean => numeric.has(type);

class FeatureCells {
  holes = 0;
  /** Vertices without a height, although the layer has heights. */
  withoutZ = 0;
  /** Geometries with several parts. */
  parts = 0;
  /** Integers that no double is equal to. */
  rounded = 0;
  /** Missing values of numeric fields. */
  empty = 0;
  readonly #stride: number;
  readonly #hasZ: boolean;
  readonly #nodes = new ArrayEncoder();
  readonly #heights = new ArrayEncoder();
  readonly #shapes = new NumberList(Uint8Array);
  /** End of the nodes of each cell (VTK `offsets`). */
  readonly #ends = new NumberList(Uint32Array);
  /** Values of each numeric field, one per cell. */
  readonly #values: { index: number; list: NumberList<Float64Array> }[];
  #count = 0;

  constructor(features: FeatureCollection) {
    this.#stride = strideOf(features);
    this.#hasZ = features.hasZ;
    this.#values = features.fields.flatMap((field, index) =>
      isNumeric(field) ? [{ index, list: new NumberList(Float64Array) }] : [],
    );
  }

  add(geometry: Geometry, feature: Feature): void {
    const before = this.#shapes.length;
    this.#add(geometry, feature);
    if (this.#shapes.length > before + 1) this.parts++;
  }

  #add(geometry: Geometry, feature: Feature): void {
    const { type, coordinates } = geometry;
    const count = coordinates.length / this.#stride;
    if (type === 'GeometryCollection') for (const member of byKind(geometry, this.#stride)) this.#add(member, feature);
    else if (type === 'Point' || type === 'MultiPoint')
      for (let n = 0; n < count; n++) this.#cell(coordinates, n, n + 1, CELL_SHAPES.vertex, feature);
    else {
      const parts = geometry.parts ?? [0];
      const outer = type.endsWith('Polygon') ? new Set(geometry.polygons ?? [0]) : undefined;
      for (let part = 0; part < parts.length; part++) {
        const [first, end] = [parts[part]!, parts[part + 1] ?? count];
        if (outer === undefined)
          this.#cell(coordinates, first, end, end - first === 2 ? CELL_SHAPES.line : CELL_SHAPES.polyline, feature);
        else if (!outer.has(part)) this.holes++;
        else {
          // Not all formats repeat the first vertex of a ring at its end; a cell of VTK never does.
          const last = isClosed(coordinates, this.#stride, first, end) ? end - 1 : end;
          const shape = last - first === 3 ? CELL_SHAPES.triangle : CELL_SHAPES.polygon;
          this.#cell(coordinates, first, last, shape, feature);
        }
      }
    }
  }

  /** Waits while too much is being compressed. */
  async drain(): Promise<void> {
    await this.#nodes.drain();
    await this.#heights.drain();
  }

  #cell(coordinates: Float64Array, first: number, end: number, shape: number, { values }: Feature): void {
    if (end <= first) return;
    const stride = this.#stride;
    for (let at = first * stride; at < end * stride; at += stride) {
      const height = this.#hasZ ? coordinates[at + 2]! : 0;
      // Viewers cannot draw a point whose place is not a number.
      const z = Number.isNaN(height) ? 0 : height;
      if (Number.isNaN(height)) this.withoutZ++;
      this.#nodes.push(coordinates[at]!);
      this.#nodes.push(coordinates[at + 1]!);
      this.#nodes.push(z);
      if (this.#hasZ) this.#heights.push(height);
    }
    this.#count += end - first;
    this.#shapes.push(shape);
    this.#ends.push(this.#count);
    for (const { index, list } of this.#values) {
      const value = values[index];
      if (value === null || value === undefined) this.empty++;
      if (typeof value === 'bigint' && BigInt(Number(value)) !== value) this.rounded++;
      list.push(value === null || value === undefined ? Number.NaN : Number(value));
    }
  }

  async part({ fields }: FeatureCollection, srid: readonly VtuArray[], context: Context): Promise<Part> {
    const shapes = this.#shapes.taken();
    const onlyPoints = shapes.every((shape) => shape === CELL_SHAPES.vertex);
    const usedNames = new Set<string>();
    const arrays: VtuArray[] = [];
    const heights =
      onlyPoints && this.#hasZ ? [await this.#heights.finish({ name: distinctName('Z', usedNames) })] : [];
    for (const { index, list } of this.#values) {
      const field = fields[index]!;
      arrays.push({ name: distinctName(field.name, usedNames), values: narrowed(list.taken(), field) });
    }
    const connectivity = Uint32Array.from({ length: this.#count }, (_, n) => n);
    const offsets = new Uint32Array(shapes.length + 1);
    offsets.set(this.#ends.taken(), 1);
    const data = await encodeAll(arrays, context.signal);
    return {
      ...(await cellArrays({ connectivity, offsets }, context.signal)),
      fieldData: await encodeAll(srid, context.signal),
      pointData: onlyPoints ? [...heights, ...data] : [],
      cellData: onlyPoints ? [] : data,
      points: await this.#nodes.finish({ name: 'Points', components: 3 }),
      types: await encodeArray({ name: 'types', values: shapes }, context.signal),
    };
  }
}

/** Integers and booleans get an integer type if every feature has a value. */
function narrowed(values: Float64Array, { type }: Field): Samples {
  if (type === 'boolean' && values.every((value) => value === 0 || value === 1)) return Uint8Array.from(values);
  if (type === 'integer' && values.every((value) => (value | 0) === value)) return Int32Array.from(values);
  return values;
}
