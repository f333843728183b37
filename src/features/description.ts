import { z } from 'zod';
import type { Content } from './content.ts';
import { offeredCrs } from './query.ts';

const FIELD_TYPES = ['string', 'integer', 'integer64', 'real', 'boolean', 'date', 'dateTime', 'json'] as const;

export const FeatureProperty = z
  .object({
    name: z.string(),
    type: z.enum(FIELD_TYPES),
    width: z.int().optional(),
    decimals: z.int().optional(),
  })
  .meta({ id: 'FeatureProperty' });

export const FeatureDescription = z
  .object({
    id: z.string(),
    name: z.string(),
    geometryType: z.string(),
    hasZ: z.boolean(),
    hasM: z.boolean(),
    featureCount: z.int().optional(),
    properties: z.array(FeatureProperty),
    hasIds: z.boolean(),
    extent: z.array(z.number()).optional(),
    storedExtent: z.array(z.number()).optional(),
    crs: z
      .object({ uri: z.string().optional(), srid: z.string().optional(), name: z.string(), wkt: z.string() })
      .optional(),
    hasIndex: z.boolean(),
    version: z.string(),
  })
  .meta({ id: 'FeatureDescription' });
export type FeatureDescription = z.infer<typeof FeatureDescription>;

/** Codes of geometry types in a header; other codes: several types. */
const TYPES = ['Point', 'LineString', 'Polygon', 'MultiPoint', 'MultiLineString', 'MultiPolygon', 'GeometryCollection'];
export const geometryTypeOf = ({ header }: Content): string => TYPES[header.geometryType - 1] ?? 'Geometry';

export function descriptionOf(content: Content): FeatureDescription {
  const { dataset, header, fields, place, version } = content;
  const { box, count } = header;
  const { stored } = offeredCrs(content);
  const { crs } = place;
  return {
    id: dataset.id,
    name: dataset.name,
    geometryType: geometryTypeOf(content),
    hasZ: header.hasZ,
    hasM: header.hasM,
    // without an index, 0 means that the header does not tell
    ...(count > 0 || header.start >= content.source.size ? { featureCount: count } : {}),
    properties: fields.map(({ name, type, width, decimals }) => ({
      name,
      type,
      ...(width === undefined ? {} : { width }),
      ...(decimals === undefined ? {} : { decimals }),
    })),
    hasIds: header.columns.some(({ isId }) => isId),
    ...(place.extent === undefined ? {} : { extent: [...place.extent] }),
    ...(box === undefined ? {} : { storedExtent: [box.west, box.south, box.east, box.north] }),
    ...(crs === undefined
      ? {}
      : {
          crs: {
            ...(stored === undefined ? {} : { uri: stored }),
            ...(crs.code === undefined ? {} : { srid: `${crs.authority}:${crs.code}` }),
            name: crs.name,
            wkt: crs.wkt,
          },
        }),
    hasIndex: header.index !== undefined,
    version,
  };
}
