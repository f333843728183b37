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
import type { Survey } from './infer-schema.ts';
import { survey } from './infer-schema.ts';
import { walk } from './walk.ts';

export const geoJsonReader = defineReader({
  name: 'GeoJsonReader',
  description:
    'GeoJSON (RFC 7946): a collection, a feature, a geometry, or a sequence of them (RFC 8142 or one per line); also with a crs member of older files.',
  format: 'geojson',
  produces: 'features',
  has: ['place', 'items'],
  parameters: z.object({
    SRID: Srid.describe(
      'Number of the coordinate system, such as 25832, instead of WGS 84 or the crs member.',
    ).optional(),
  }),
  async read(source, { SRID }, context) {
    const found = await surveyOf(source, context);
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

async function surveyOf(source: ByteSource, context: Context): Promise<Survey> {
  try {
    return await survey(source, context);
  } catch (error) {
    throw await withDetectedFormat(error, source, 'geojson');
  }
}

async function* chunks(source: ByteSource, found: Survey, context: Context): AsyncGenerator<readonly Feature[]> {
  let parser: FeatureParser | undefined;
  const pool = new CoordinatePool();
  const roots = walk(source, (cursor) => (parser = new FeatureParser(cursor, found, pool, context)));
  for await (const _ of roots) {
    const features = parser!.take();
    if (features.length > 0) yield features;
  }
  parser?.tell();
}

/**
 * The coordinate system that a crs member names (GeoJSON of 2008). Without one it is WGS 84; null says that it is unknown.
 * Coordinates are always taken as easting or longitude before northing or latitude, as everybody writes them.
 */
function crsOf(member: unknown): Crs | undefined {
  if (member === undefined) return wgs84;
  if (member === null) return undefined;
  const { type, properties } = member as {
    type?: unknown;
    properties?: { name?: unknown; code?: unknown; href?: unknown };
  };
  if (type === 'link')
    throw new FormatError('The crs member is a link to elsewhere, which is not followed; give SRID to the reader.');
  if (type === 'EPSG' && typeof properties?.code === 'number') return parseSrid(properties.code);
  const name = properties?.name;
  if (type === 'name' && typeof name === 'string') {
    if (/\bCRS:?84h?$/i.test(name)) return wgs84;
    const [, authority, code] = /\b(EPSG|ESRI)\b(?:.*[:/])?(\d{1,9})$/i.exec(name) ?? [];
    if (authority !== undefined) return parseSrid(`${authority}:${code}`);
  }
  const shown = JSON.stringify(member).slice(0, 200);
  throw new FormatError(`The crs member ${shown} is not known; give SRID to the reader.`);
}
