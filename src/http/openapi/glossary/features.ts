import type { Glossary } from './entry.ts';

const ID = '0192f7a0-6c1e-7d3a-9b52-3f1e8a7c4d10';
const ADDRESS = `https://platform.example.org/api/gis/dataset/${ID}`;
const CRS84 = 'http://www.opengis.net/def/crs/OGC/1.3/CRS84';
const link = { href: `${ADDRESS}/feature`, rel: 'self', type: 'application/geo+json' };
const depth = { name: 'depth', type: 'real' };
const well = {
  type: 'Feature',
  id: 0,
  properties: { name: 'Ribe', depth: 12.5 },
  geometry: { type: 'Point', coordinates: [8.77, 55.33] },
};

/** Features of datasets. */
export const FEATURES: Glossary = {
  Link: ['A link to another answer.', link],
  'Link.href': ['Its address.', link.href],
  'Link.rel': ['What it is to this answer: `self`, `next`, `collection` and others.', 'self'],
  'Link.type': ['Media type of the answer.', link.type],
  'Link.title': ['A title for people.', 'Wells'],
  Feature: ['A feature (GeoJSON).', well],
  'Feature.type': '`Feature`.',
  'Feature.id': 'Its own id; in a dataset without ids its number from 0, valid until the content is replaced.',
  'Feature.geometry': 'Geometry of GeoJSON in the coordinate system of the header `Content-Crs`, or null.',
  'Feature.properties': 'Values of the properties.',
  'Feature.links': 'To this feature and its collection; not in a list.',
  featureId: ['Id of the feature.', '0'],
  FeaturePage: [
    'Features (GeoJSON).',
    {
      type: 'FeatureCollection',
      timeStamp: '2026-01-24T08:17:02.435Z',
      features: [well],
      numberMatched: 1,
      numberReturned: 1,
      links: [link],
    },
  ],
  'FeaturePage.type': '`FeatureCollection`.',
  'FeaturePage.timeStamp': 'Time of the answer.',
  'FeaturePage.features': 'Features of this page.',
  'FeaturePage.numberMatched': 'Number of features of all pages, where it is known.',
  'FeaturePage.numberReturned': 'Number of features of this page.',
  'FeaturePage.skipped': 'Features that could not be read or written, at most ten.',
  'FeaturePage.links': 'To this page, the next one and the collection.',
  SkippedFeature: 'A feature that could not be read or written.',
  'SkippedFeature.number': 'Number of the feature, from 0.',
  'SkippedFeature.reason': 'Why it was left out.',
  FeatureProperty: ['A property of features.', depth],
  'FeatureProperty.name': ['Name of the property.', depth.name],
  'FeatureProperty.type': [
    '`string`, `integer`, `integer64`, `real`, `boolean`, `date`, `dateTime` or `json`.',
    depth.type,
  ],
  'FeatureProperty.width': ['Maximum number of characters or digits.', 20],
  'FeatureProperty.decimals': ['Number of decimals.', 2],
  FeatureDescription: [
    'What a dataset of features holds.',
    {
      id: ID,
      name: 'Wells',
      geometryType: 'Point',
      hasZ: false,
      hasM: false,
      featureCount: 200,
      properties: [depth],
      hasIds: false,
      extent: [8, 54.5, 12.7, 57.8],
      storedExtent: [8, 54.5, 12.7, 57.8],
      crs: { uri: CRS84, srid: 'EPSG:4326', name: 'WGS 84', wkt: 'GEOGCRS["WGS 84",…]' },
      hasIndex: true,
      version: 'h2rS0qK5p0y1vYv3J0mB1w',
    },
  ],
  'FeatureDescription.id': 'Id of the dataset.',
  'FeatureDescription.name': 'Name of the dataset.',
  'FeatureDescription.geometryType': 'Type of all geometries, such as `Point`; `Geometry`: several types.',
  'FeatureDescription.hasZ': 'Whether vertices have heights.',
  'FeatureDescription.hasM': 'Whether vertices have measures. GeoJSON does not show them.',
  'FeatureDescription.featureCount': 'Number of features; absent: not known.',
  'FeatureDescription.properties': 'Names and types of the properties.',
  'FeatureDescription.hasIds': 'Whether features have ids of their own.',
  'FeatureDescription.extent':
    'West, south, east, north in degrees. West is greater than east if the features cross the antimeridian.',
  'FeatureDescription.storedExtent': 'Smallest x and y, largest x and y in the coordinate system of the dataset.',
  'FeatureDescription.crs': 'Coordinate system of the dataset; absent: not known.',
  'FeatureDescription.uri': 'URI of OGC; absent for a system without a code.',
  'FeatureDescription.srid': 'Authority and code.',
  'FeatureDescription.wkt': 'WKT 2.',
  'FeatureDescription.hasIndex': 'Whether the features can be searched by place without reading all of them.',
  'FeatureDescription.version': 'Changes when the content is replaced.',
};
