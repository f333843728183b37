import type { ExecutionContext } from 'ava';
import { type Asked, type Converted, converted } from './files.ts';

export interface Json {
  type: string;
  name?: string;
  crs?: unknown;
  features: {
    id?: unknown;
    geometry: { type: string; coordinates: unknown; geometries?: unknown } | null;
    properties: Record<string, unknown>;
  }[];
}

export const toJson = { reader: 'ShapefileReader', writer: 'GeoJsonWriter' };
export const toShape = { reader: 'GeoJsonReader', writer: 'ShapefileWriter' };
export const jsonToJson = { reader: 'GeoJsonReader', writer: 'GeoJsonWriter' };
export const shapeToShape = { reader: 'ShapefileReader', writer: 'ShapefileWriter' };

/** Converts to GeoJSON and parses it. */
export async function asJson(
  t: ExecutionContext,
  input: string | Uint8Array,
  asked: Partial<Asked> = {},
): Promise<Converted & { json: Json }> {
  const result = await converted(t, input, { ...toJson, ...asked });
  return { ...result, json: JSON.parse(result.bytes.toString('utf8')) as Json };
}

export const collection = (features: unknown[], more: object = {}): string =>
  JSON.stringify({ type: 'FeatureCollection', ...more, features });

export const feature = (geometry: unknown, properties: unknown = {}, more: object = {}) => ({
  type: 'Feature',
  ...more,
  properties,
  geometry,
});

export const geometryOf = (type: string, coordinates: unknown) => ({ type, coordinates });

/** GeoJSON to a shapefile and back. */
export async function thereAndBack(t: ExecutionContext, text: string, asked: Partial<Asked> = {}) {
  const there = await converted(t, text, { ...toShape, ...asked });
  const back = await asJson(t, there.bytes);
  return { there, back: back.json, lost: there.receipt.lost };
}
