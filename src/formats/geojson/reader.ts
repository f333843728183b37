import { z } from 'zod';
import type { ByteSource } from '../../data/bytes.ts';
import type { Crs } from '../../data/crs-reference.ts';
import type { Feature } from '../../data/feature-collection.ts';
import { FormatError } from '../../errors.ts';
import { parseSrid, wgs84 } from '../../geo/crs/crs.ts';
import type { Context } from '../define.ts';
import { defineReader } from '../define.ts';
import { withDetectedFormat } from '../detect.ts';
import { CoordinatePool } from '../io/coordinate-pool.ts';
import { Srid } from '../srid.ts';
import { FeatureParser } from './feature-parser.ts';
import type { InferredSchema } from './infer-schema.ts';
import { inferSchema } from './infer-schema.ts';
import { walk } from './walk.ts';

export const geoJsonReader = defineReader({
  name: 'GeoJsonReader',
  description:
    'GeoJSON (RFC 7946): a FeatureCollection, Feature or geometry, or a sequence of them (RFC 8142 or one per line). Reads the crs member of GeoJSON 2008.',
  format: 'geojson',
  produces: 'features',
  has: ['place', 'items'],
  parameters: z.object({
    SRID: Srid.describe(
      'SRID of the coordinate system, such as 25832. Overrides WGS 84 and the crs member.',
    ).optional(),
  }),
  async read(source, { SRID }, context) {
    const found = await schemaOf(source, context);
    const crs = SRID === undefined ? crsOf(found.crs) : undefined;
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
  },
});

async function schemaOf(source: ByteSource, context: Context): Promise<InferredSchema> {
  try {
    return await inferSchema(source, context);
  } catch (error) {
    throw await withDetectedFormat(error, source, 'geojson');
  }
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
 * The CRS of a crs member (GeoJSON 2008). Without a member it is WGS 84; null means that it is unknown. Coordinates are always easting or
 * longitude first, as all programs write them.
 */
function crsOf(member: unknown): Crs | undefined {
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
