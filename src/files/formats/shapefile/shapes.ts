import { type Dimensions, strideOf } from '../../data/dimensions.ts';
import type { Geometry } from '../../data/feature-collection.ts';
import { FormatError } from '../../errors.ts';
import { organizePolygons } from '../../geo/vector/organize-polygons.ts';
import { ONE_VERTEX, PART_LEFT_OUT, withoutShortLines } from '../../geo/vector/short-lines.ts';
import type { CoordinatePool } from '../io/coordinate-pool.ts';

/** Thrown for a record that cannot be read; the records around it may be valid. */
export class InvalidRecord extends FormatError {}

/** Lower measures mean "no data" (ESRI Shapefile Technical Description, 1998). */
const noMeasure = -1e38;

/** Null, point, line, polygon, multipoint. */
const bases = new Set([0, 1, 3, 5, 8]);

export const isKnownType = (type: number): boolean =>
  bases.has(type) || (type > 10 && type < 30 && bases.has(type % 10) && type % 10 > 0);

/** Byte offsets of the arrays in a record, -1 if absent. Counts are checked against the length of the record. */
interface Layout {
  base: number;
  parts: number;
  partCount: number;
  points: number;
  pointCount: number;
  z: number;
  m: number;
}

export function readLayout(content: Buffer, offset: number): Layout {
  const type = content.length < 4 ? -1 : content.readInt32LE(0);
  if (type === 31) throw new InvalidRecord('The record is a MultiPatch (3D surfaces), which is not supported.', offset);
  if (!isKnownType(type)) throw new InvalidRecord(`The record has the unknown shape type ${type}.`, offset);
  const base = type % 10;
  const dimension = Math.floor(type / 10);
  const layout = { base, parts: -1, partCount: 0, points: -1, pointCount: 0, z: -1, m: -1 };
  if (base === 0) return layout;
  let at: number;
  if (base === 1) {
    layout.points = 4;
    layout.pointCount = 1;
    need(content, 20, offset);
    at = 20;
    if (dimension === 1) {
      need(content, 28, offset);
      layout.z = at;
      at += 8;
    }
    if (dimension > 0 && content.length >= at + 8) layout.m = at;
    return layout;
  }
  const hasParts = base !== 8;
  need(content, hasParts ? 44 : 40, offset);
  if (hasParts) layout.partCount = content.readUInt32LE(36);
  layout.pointCount = content.readUInt32LE(hasParts ? 40 : 36);
  layout.parts = 44;
  layout.points = hasParts ? 44 + 4 * layout.partCount : 40;
  at = layout.points + 16 * layout.pointCount;
  if (at > content.length)
    throw new InvalidRecord(
      `A shape with ${layout.partCount} parts and ${layout.pointCount} points takes ${at} bytes. Its record has ${content.length}.`,
      offset,
    );
  const measures = 16 + 8 * layout.pointCount;
  if (dimension === 1) {
    need(content, at + measures, offset);
    layout.z = at + 16;
    at += measures;
  }
  if (dimension > 0 && content.length >= at + measures) layout.m = at + 16;
  return layout;
}

function need(content: Buffer, length: number, offset: number): void {
  if (content.length < length)
    throw new InvalidRecord(`The record has ${content.length} bytes. Its shape takes ${length}.`, offset);
}

/** Whether a record has a measure other than "no data". */
export function hasMeasure(content: Buffer, offset: number): boolean {
  const { m, pointCount } = readLayout(content, offset);
  for (let n = 0; m >= 0 && n < pointCount; n++) if (content.readDoubleLE(m + 8 * n) > noMeasure) return true;
  return false;
}

/** The geometry of a record; undefined for a null shape or one without vertices. */
export function readGeometry(
  content: Buffer,
  offset: number,
  dimensions: Dimensions,
  { pool, remark }: { pool: CoordinatePool; remark(sentence: string): void },
): Geometry | undefined {
  const layout = readLayout(content, offset);
  const { base, pointCount } = layout;
  if (base === 0 || pointCount === 0) return undefined;
  const stride = strideOf(dimensions);
  const coordinates = pool.coordinates(pointCount * stride);
  if (stride === 2) copyPairs(content, layout.points, coordinates);
  else copyVertices(content, layout, dimensions, stride, coordinates);
  if (base === 1)
    return Number.isNaN(coordinates[0]!) && Number.isNaN(coordinates[1]!) ? undefined : { type: 'Point', coordinates };
  if (base === 8) return { type: 'MultiPoint', coordinates };
  const parts = readParts(content, layout, offset, pool);
  if (base === 5) return organizePolygons(coordinates, stride, parts);
  const several: Geometry = { type: 'MultiLineString', coordinates, parts };
  const lines = withoutShortLines(several, stride);
  if (lines === undefined) throw new InvalidRecord(ONE_VERTEX, offset);
  if (lines !== several) remark(PART_LEFT_OUT);
  return lines.parts!.length === 1 ? { type: 'LineString', coordinates: lines.coordinates } : lines;
}

function copyPairs(content: Buffer, points: number, coordinates: Float64Array): void {
  if (coordinates.length < 8)
    for (let n = 0; n < coordinates.length; n++) coordinates[n] = content.readDoubleLE(points + 8 * n);
  else
    new Uint8Array(coordinates.buffer, coordinates.byteOffset, coordinates.byteLength).set(
      content.subarray(points, points + coordinates.byteLength),
    );
}

function copyVertices(
  content: Buffer,
  { points, z, m, pointCount }: Layout,
  { hasZ, hasM }: Dimensions,
  stride: number,
  to: Float64Array,
): void {
  for (let n = 0, at = 0; n < pointCount; n++, at += stride) {
    to[at] = content.readDoubleLE(points + 16 * n);
    to[at + 1] = content.readDoubleLE(points + 16 * n + 8);
    if (hasZ) to[at + 2] = z < 0 ? Number.NaN : content.readDoubleLE(z + 8 * n);
    if (!hasM) continue;
    const measure = m < 0 ? noMeasure : content.readDoubleLE(m + 8 * n);
    to[at + stride - 1] = measure > noMeasure ? measure : Number.NaN;
  }
}

function readParts(
  content: Buffer,
  { parts, partCount, pointCount }: Layout,
  offset: number,
  pool: CoordinatePool,
): Uint32Array {
  if (partCount === 0) throw new InvalidRecord(`A shape with ${pointCount} points has no parts.`, offset);
  const starts = pool.starts(partCount);
  let last = 0;
  let kept = 0;
  for (let n = 0; n < partCount; n++) {
    const start = content.readUInt32LE(parts + 4 * n);
    if (start < last || start > pointCount || (n === 0 && start !== 0))
      throw new InvalidRecord(
        `Part ${n + 1} of a shape begins at point ${start} of ${pointCount}, but the part before it at ${last}.`,
        offset,
      );
    // Drop a part without points.
    if (n > 0 && start === last && kept > 0) kept--;
    if (start < pointCount) starts[kept++] = start;
    last = start;
  }
  return starts.subarray(0, kept);
}
