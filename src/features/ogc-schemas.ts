import { z } from 'zod';
import { component, text, texts } from '../http/rules/members.ts';
import { CRS84 } from './crs-names.ts';
import { Link } from './schemas.ts';

const links = z.array(Link);

export const LandingPage = component(
  'FeatureLandingPage',
  {
    title: text('Title: the name of the dataset.', 'Wells'),
    description: text('What the service offers.', 'Features of a dataset: OGC API Features.'),
    links: links.describe('To the OpenAPI document, the conformance classes and the collection.'),
  },
  'Landing page (OGC API Features).',
);

export const Conformance = component(
  'FeatureConformance',
  {
    conformsTo: texts('URIs of the conformance classes.', [
      'http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core',
    ]),
  },
  'Conformance classes of OGC standards.',
);

const Extent = component(
  'FeatureExtent',
  {
    spatial: z
      .object({
        bbox: z
          .array(z.array(z.number()))
          .meta({ description: 'Boxes: west, south, east, north.', example: [[8, 54.5, 12.7, 57.8]] }),
        crs: text('Coordinate system of the boxes.', CRS84.uri),
      })
      .describe('Boxes and their coordinate system.'),
  },
  'Where the features lie.',
);

export const Collection = component(
  'FeatureCollectionDescription',
  {
    id: text('Id of the collection: `features`.', 'features'),
    title: text('Title: the name of the dataset.', 'Wells'),
    itemType: text('Type of the items: `feature`.', 'feature'),
    itemCount: z.int().optional().describe('Number of features; absent: not known.'),
    extent: Extent.optional().describe('Where the features lie; absent: not known.'),
    crs: texts('Coordinate systems of answers. Others may be asked for, too.', [CRS84.uri]).optional(),
    storageCrs: text('Coordinate system in which the features are stored.', CRS84.uri).optional(),
    links: links.describe('To the features and their schemas.'),
  },
  'The collection of a dataset.',
);
export type Collection = z.infer<typeof Collection>;

export const Collections = component(
  'FeatureCollections',
  {
    links: links.describe('To this answer.'),
    collections: z.array(Collection).describe('The only collection.'),
  },
  'The collections of a dataset.',
);

export const SchemaDocument = z.looseObject({}).meta({
  id: 'SchemaDocument',
  description: 'A JSON Schema, or an OpenAPI document.',
  example: { type: 'object', properties: {} },
});
