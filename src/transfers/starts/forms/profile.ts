import { z } from 'zod';
import { component, text } from '../../../http/rules/members.ts';

export const ProfileTransformation = component(
  'ProfileTransformation',
  {
    type: z.literal('profileTransformation').describe('Kind, in any letter case.'),
    profile: z
      .object({
        line: text('WKT of a LINESTRING.'),
        spacing: z.number().describe('Distance of the points; for longitudes and latitudes in metres.'),
        method: z
          .enum(['bilinear', 'nearest'])
          .describe('How values of cells become those of points; absent: `bilinear`.')
          .optional(),
        SRID: z.union([z.int(), z.string()]).describe('Coordinate system of the line: that of the data.').optional(),
      })
      .describe('The line and its points.'),
  },
  'Takes the values of a grid or a mesh along a line.',
);
