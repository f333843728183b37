import { z } from 'zod';
import { component, text } from '../http/rules/members.ts';

export const Link = component(
  'Link',
  {
    href: text(
      'Address of the linked answer.',
      'https://platform.example.org/api/gis/dataset/0192f7a0-6c1e-7d3a-9b52-3f1e8a7c4d10/feature',
    ),
    rel: text('Relation to this answer: `self`, `next`, `collection` and others.', 'self'),
    type: text('Media type of the linked answer.', 'application/geo+json').optional(),
    title: text('A title for people.', 'Wells').optional(),
  },
  'A link to another answer.',
);
export type Link = z.infer<typeof Link>;

export const Feature = z
  .object({
    type: z.literal('Feature').describe('Type of the GeoJSON object: `Feature`.'),
    id: z
      .union([z.string(), z.int()])
      .optional()
      .describe('Id of the feature; in a dataset without ids its number from 0, valid until the content is replaced.'),
    geometry: z
      .unknown()
      .describe('Geometry of GeoJSON in the coordinate system of the header `Content-Crs`, or null.'),
    properties: z.record(z.string(), z.unknown()).describe('Values of the properties.'),
    links: z.array(Link).optional().describe('To this feature and its collection; not in a list.'),
  })
  .meta({
    id: 'Feature',
    description: 'A feature (GeoJSON).',
    example: {
      type: 'Feature',
      id: 0,
      properties: { name: 'Ribe', depth: 12.5 },
      geometry: { type: 'Point', coordinates: [8.77, 55.33] },
    },
  });
export type Feature = z.infer<typeof Feature>;

const SkippedFeature = component(
  'SkippedFeature',
  { number: z.int().describe('Number of the feature, from 0.'), reason: text('Why it was left out.') },
  'A feature that could not be read or written.',
);

export const FeaturePage = component(
  'FeaturePage',
  {
    type: z.literal('FeatureCollection').describe('Type of the GeoJSON object: `FeatureCollection`.'),
    timeStamp: text('Time of the answer, UTC.', '2026-01-24T08:17:02.435Z'),
    features: z.array(Feature).describe('Features of this page.'),
    numberMatched: z.int().optional().describe('Number of features of all pages, where it is known.'),
    numberReturned: z.int().describe('Number of features of this page.'),
    skipped: z.array(SkippedFeature).optional().describe('Features that could not be read or written, at most ten.'),
    links: z.array(Link).describe('To this page, the next one and the collection.'),
  },
  'Features (GeoJSON).',
);
export type FeaturePage = z.infer<typeof FeaturePage>;
