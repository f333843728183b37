import { z } from 'zod';
import { component, flag, text, uuidText } from '../http/rules/members.ts';
import type { Content } from './content.ts';
import { offeredCrs } from './query.ts';

const FIELD_TYPES = ['string', 'integer', 'integer64', 'real', 'boolean', 'date', 'dateTime', 'json'] as const;

export const FeatureProperty = component(
  'FeatureProperty',
  {
    name: text('Name of the property.', 'depth'),
    type: z
      .enum(FIELD_TYPES)
      .describe('`string`, `integer`, `integer64`, `real`, `boolean`, `date`, `dateTime` or `json`.'),
    width: z.int().optional().describe('Maximum number of characters or digits.'),
    decimals: z.int().optional().describe('Number of decimals.'),
  },
  'A property of features.',
);

export const FeatureDescription = component(
  'FeatureDescription',
  {
    id: uuidText('Id of the dataset.'),
    name: text('Name of the dataset.', 'Wells'),
    geometryType: text('Type of all geometries, such as `Point`; `Geometry`: several types.', 'Point'),
    hasZ: flag('Whether vertices have heights.'),
    hasM: flag('Whether vertices have measures. GeoJSON does not show them.'),
    featureCount: z.int().optional().describe('Number of features in the dataset; absent: not known.'),
    properties: z.array(FeatureProperty).describe('Names and types of the properties.'),
    hasIds: flag('Whether features have ids of their own.'),
    extent: z
      .array(z.number())
      .optional()
      .describe(
        'West, south, east, north in degrees. West is greater than east if the features cross the antimeridian.',
      ),
    storedExtent: z
      .array(z.number())
      .optional()
      .describe('Smallest x and y, largest x and y in the coordinate system of the dataset.'),
    crs: z
      .object({
        uri: text(
          'URI of OGC; absent for a system without a code.',
          'http://www.opengis.net/def/crs/EPSG/0/25832',
        ).optional(),
        srid: text('Authority and code.', 'EPSG:25832').optional(),
        name: text('Name of the coordinate system.', 'ETRS89 / UTM zone 32N'),
        wkt: text('Coordinate system as WKT 2.', 'PROJCRS["ETRS89 / UTM zone 32N",…]'),
      })
      .optional()
      .describe('Coordinate system of the dataset; absent: not known.'),
    hasIndex: flag('Whether the features can be searched by place without reading all of them.'),
    version: text('Changes when the content is replaced.', 'h2rS0qK5p0y1vYv3J0mB1w'),
  },
  'What a dataset of features holds.',
);
export type FeatureDescription = z.infer<typeof FeatureDescription>;

/** Codes of geometry types in a header; other codes: several types. */
const TYPES = ['Point', 'LineString', 'Polygon', 'MultiPoint', 'MultiLineString', 'MultiPolygon', 'GeometryCollection'];
export const geometryTypeOf = ({ header }: Content): string => TYPES[header.geometryType - 1] ?? 'Geometry';

export function describeFeatures(content: Content): FeatureDescription {
  const { dataset, header, fields, location, version } = content;
  const { box, count } = header;
  const { stored } = offeredCrs(content);
  const { crs } = location;
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
    ...(location.extent === undefined ? {} : { extent: [...location.extent] }),
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
