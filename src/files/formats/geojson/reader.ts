import type { ByteSource } from '../../data/bytes.ts';
import type { Crs } from '../../data/crs-reference.ts';
import type { Feature } from '../../data/feature-collection.ts';
import { FormatError } from '../../errors.ts';
import { parseSrid, wgs84 } from '../../geo/crs/crs.ts';
import type { Context, Read } from '../define.ts';
import { detect } from '../detect.ts';
import { CoordinatePool } from '../io/coordinate-pool.ts';
import { FeatureParser } from './feature-parser.ts';
import { type InferredSchema, inferSchema } from './infer-schema.ts';
import type { readParameters } from './parameters.ts';
import { walk } from './walk.ts';

export const read: Read<typeof readParameters> = async (source, { SRID }, context) => {
  const found = await readSchema(source, context);
  const crs = SRID === undefined ? parseCrs(found.crs) : undefined;
  return {
    kind: 'features',
    ...(found.name === undefined ? {} : { name: found.name }),
    ...(crs === undefined ? {} : { crs }),
    fields: found.fields,
    hasZ: found.hasZ,
    hasM: false,
    count: found.count,
    chunks: () => chunks(source, found, context),
  };
};

async function readSchema(source: ByteSource, context: Context): Promise<InferredSchema> {
  const found = await detect(source);
  if (found?.name.startsWith('Esri JSON')) throw new FormatError(`The file is ${found.name}.`, 0);
  return inferSchema(source, context);
}

async function* chunks(
  source: ByteSource,
  found: InferredSchema,
  context: Context,
): AsyncGenerator<readonly Feature[]> {
  let parser: FeatureParser | undefined;
  const pool = new CoordinatePool();
  const roots = walk(source, (scanner) => (parser = new FeatureParser(scanner, found, pool, context)));
  for await (const _ of roots) {
    const features = parser!.take();
    if (features.length > 0) yield features;
  }
  parser?.report();
}

/**
 * The CRS of a crs member (GeoJSON 2008). Without a member it is WGS 84; null means that it is unknown. Coordinates are
 * always easting or longitude first, as all programs write them.
 */
function parseCrs(member: unknown): Crs | undefined {
  if (member === undefined) return wgs84;
  if (member === null) return undefined;
  const { type, properties } = member as {
    type?: unknown;
    properties?: { name?: unknown; code?: unknown; href?: unknown };
  };
  if (type === 'link')
    throw new FormatError('The crs member is a link, which is not supported. Give SRID to the reader.');
  if (type === 'EPSG' && typeof properties?.code === 'number') return parseSrid(properties.code);
  const name = properties?.name;
  if (type === 'name' && typeof name === 'string') {
    if (/\bCRS:?84h?$/i.test(name)) return wgs84;
    const [, authority, code] = /\b(EPSG|ESRI)\b(?:.*[:/])?(\d{1,9})$/i.exec(name) ?? [];
    if (authority !== undefined) return parseSrid(`${authority}:${code}`);
  }
  const shown = JSON.stringify(member).slice(0, 200);
  throw new FormatError(`The crs member ${shown} is not known. Give SRID to the reader.`);
}
