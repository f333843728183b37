import { z } from 'zod';

export const Link = z
  .object({ href: z.string(), rel: z.string(), type: z.string().optional(), title: z.string().optional() })
  .meta({ id: 'Link' });
export type Link = z.infer<typeof Link>;

/** GeoJSON; a geometry may be null. */
export const Feature = z
  .object({
    type: z.literal('Feature'),
    id: z.union([z.string(), z.int()]).optional(),
    geometry: z.unknown(),
    properties: z.record(z.string(), z.unknown()),
    links: z.array(Link).optional(),
  })
  .meta({ id: 'Feature' });
export type Feature = z.infer<typeof Feature>;

const SkippedFeature = z.object({ number: z.int(), reason: z.string() }).meta({ id: 'SkippedFeature' });

export const FeaturePage = z
  .object({
    type: z.literal('FeatureCollection'),
    timeStamp: z.string(),
    features: z.array(Feature),
    numberMatched: z.int().optional(),
    numberReturned: z.int(),
    skipped: z.array(SkippedFeature).optional(),
    links: z.array(Link),
  })
  .meta({ id: 'FeaturePage' });
export type FeaturePage = z.infer<typeof FeaturePage>;
