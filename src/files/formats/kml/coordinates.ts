import type { Geometry, GeometryType } from '../../data/feature-collection.ts';
import { FormatError } from '../../errors.ts';
import type { CoordinatePool } from '../io/coordinate-pool.ts';

/** A geometry of a placemark. Parts have three numbers per vertex; the height is NaN if there is none. */
export interface Shape {
  readonly type: 'Point' | 'LineString' | 'Polygon' | 'Multi';
  /** The point, the line, or the rings with the outer one first. */
  readonly parts: number[][];
  readonly members: Shape[];
}

/** A geometry that is not valid; its placemark is a bad record. */
export class InvalidCoordinates extends FormatError {}

const comma = 44;
/** Blank, tab, line feed and carriage return. */
const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13) || code === 0xa0;

/**
 * The vertices of a `coordinates` element: longitude, latitude and perhaps height, with commas between them and blanks
 * between vertices. Blanks beside a comma are ignored.
 * @throws InvalidCoordinates
 */
export function parseCoordinates(text: string): number[] {
  const all: number[] = [];
  const { length } = text;
  let at = 0;
  const skip = () => {
    while (at < length && isSpace(text.charCodeAt(at))) at++;
  };
  for (skip(); at < length; skip()) {
    const vertex = [Number.NaN, Number.NaN, Number.NaN];
    let n = 0;
    for (let more = true; more; n++) {
      const from = at;
      while (at < length && text.charCodeAt(at) !== comma && !isSpace(text.charCodeAt(at))) at++;
      // A comma behind the latitude, with nothing after it.
      if (at === from && n === 2) break;
      vertex[n] = numberOf(text.slice(from, at));
      skip();
      more = n < 2 && text.charCodeAt(at) === comma;
      if (more) {
        at++;
        skip();
      }
    }
    if (n < 2) throw new InvalidCoordinates(`The vertex '${vertex[0]}' has no latitude.`);
    if (text.charCodeAt(at) === comma) throw new InvalidCoordinates('A vertex has more than three numbers.');
    all.push(...vertex);
  }
  return all;
}

/** The vertex of a `gx:coord` element: numbers with blanks between them. */
export function parseTrackVertex(text: string): number[] {
  const [x = '', y = '', z, ...others] = text.trim().split(/\s+/, 5);
  if (others.length > 0) throw new InvalidCoordinates('A vertex has more than three numbers.');
  return [numberOf(x), numberOf(y), z === undefined ? Number.NaN : numberOf(z)];
}

function numberOf(word: string): number {
  const value = word === '' ? Number.NaN : Number(word);
  if (Number.isFinite(value)) return value;
  throw new InvalidCoordinates(`'${word.slice(0, 40)}' is not a coordinate.`);
}

export const hasHeight = ({ parts, members }: Shape): boolean =>
  parts.some((part) => part.some((value, n) => n % 3 === 2 && !Number.isNaN(value))) || members.some(hasHeight);

/**
 * The geometry of a shape; undefined if it is empty.
 * @throws InvalidCoordinates
 */
export function geometryOf(shape: Shape, hasZ: boolean, pool: CoordinatePool): Geometry | undefined {
  if (shape.type !== 'Multi') return geometry(shape.type, [shape], hasZ, pool);
  const members = leaves(shape);
  const [first] = members;
  if (first === undefined) return undefined;
  const { type } = first as Shape & { type: 'Point' };
  if (members.every((one) => one.type === type)) return geometry(`Multi${type}`, members, hasZ, pool);
  return {
    type: 'GeometryCollection',
    coordinates: pool.coordinates(0),
    members: members.map((one) => geometry(one.type as 'Point', [one], hasZ, pool)!),
  };
}

/** The shapes that are not empty and not several. */
const leaves = ({ members }: Shape): Shape[] =>
  members.flatMap((one) =>
    one.type === 'Multi' ? leaves(one) : one.parts.some(({ length }) => length > 0) ? one : [],
  );

function geometry(
  type: Exclude<GeometryType, 'GeometryCollection'>,
  shapes: readonly Shape[],
  hasZ: boolean,
  pool: CoordinatePool,
) {
  const stride = hasZ ? 3 : 2;
  const parts = shapes.flatMap((shape) => shape.parts.filter(({ length }) => length > 0));
  const vertices = parts.reduce((sum, { length }) => sum + length / 3, 0);
  if (vertices === 0) return undefined;
  for (const shape of shapes)
    if (shape.type === 'Point' && shape.parts[0]!.length > 3)
      throw new InvalidCoordinates(`A point has ${shape.parts[0]!.length / 3} vertices.`);
  const coordinates = pool.coordinates(vertices * stride);
  let to = 0;
  for (const part of parts)
    for (let at = 0; at < part.length; at += 3) {
      coordinates[to++] = part[at]!;
      coordinates[to++] = part[at + 1]!;
      if (hasZ) coordinates[to++] = part[at + 2]!;
    }
  const named: Geometry = { type, coordinates };
  if (type === 'Point' || type === 'LineString' || type === 'MultiPoint') return named;
  const starts = pool.starts(parts.length);
  for (let n = 0, at = 0; n < parts.length; at += parts[n++]!.length / 3) starts[n] = at;
  if (type !== 'MultiPolygon') return { ...named, parts: starts };
  const polygons = pool.starts(shapes.length);
  let first = 0;
  for (const [n, shape] of shapes.entries()) {
    polygons[n] = first;
    first += shape.parts.filter(({ length }) => length > 0).length;
  }
  return { ...named, parts: starts, polygons };
}
