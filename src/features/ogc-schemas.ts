import { z } from 'zod';
import { Link } from './schemas.ts';

const links = z.array(Link);

export const LandingPage = z
  .object({ title: z.string(), description: z.string(), links })
  .meta({ id: 'FeatureLandingPage' });

export const Conformance = z.object({ conformsTo: z.array(z.string()) }).meta({ id: 'FeatureConformance' });

const Extent = z
  .object({ spatial: z.object({ bbox: z.array(z.array(z.number())), crs: z.string() }) })
  .meta({ id: 'FeatureExtent' });

export const Collection = z
  .object({
    id: z.string(),
    title: z.string(),
    itemType: z.string(),
    itemCount: z.int().optional(),
    extent: Extent.optional(),
    crs: z.array(z.string()).optional(),
    storageCrs: z.string().optional(),
    links,
  })
  .meta({ id: 'FeatureCollectionDescription' });
export type Collection = z.infer<typeof Collection>;

export const Collections = z.object({ links, collections: z.array(Collection) }).meta({ id: 'FeatureCollections' });

/** JSON Schema, or OpenAPI. */
export const SchemaDocument = z.looseObject({}).meta({ id: 'SchemaDocument' });
