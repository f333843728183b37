import { z } from 'zod';
import { text, texts } from '../http/rules/members.ts';
import { Link } from './schemas.ts';

const links = z.array(Link);

export const LandingPage = z
  .object({
    title: text('Title: the name of the dataset.', 'Wells'),
    description: text('What the service offers.'),
    links: links.describe('To the OpenAPI document, the conformance classes and the collection.'),
  })
  .meta({ id: 'FeatureLandingPage' });

export const Conformance = z.object({ conformsTo: texts('URIs of the classes.') }).meta({ id: 'FeatureConformance' });

const Extent = z
  .object({
    spatial: z
      .object({
        bbox: z
          .array(z.array(z.number()))
          .meta({ description: 'Boxes: west, south, east, north.', example: [[8, 54.5, 12.7, 57.8]] }),
        crs: text('Coordinate system of the boxes.', 'http://www.opengis.net/def/crs/OGC/1.3/CRS84'),
      })
      .describe('Boxes and their coordinate system.'),
  })
  .meta({ id: 'FeatureExtent' });

export const Collection = z
  .object({
    id: text('Id of the collection: `features`.'),
    title: text('Title: the name of the dataset.', 'Wells'),
    itemType: text('`feature`.'),
    itemCount: z.int().optional().describe('Number of features; absent: not known.'),
    extent: Extent.optional().describe('Where the features lie; absent: not known.'),
    crs: texts('Coordinate systems of answers. Others may be asked for, too.').optional(),
    storageCrs: text('Coordinate system in which the features are stored.').optional(),
    links: links.describe('To the features and their schemas.'),
  })
  .meta({ id: 'FeatureCollectionDescription' });
export type Collection = z.infer<typeof Collection>;

export const Collections = z
  .object({
    links: links.describe('To this answer.'),
    collections: z.array(Collection).describe('The only collection.'),
  })
  .meta({ id: 'FeatureCollections' });

/** JSON Schema, or OpenAPI. */
export const SchemaDocument = z.looseObject({}).meta({ id: 'SchemaDocument' });
