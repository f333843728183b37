import { z } from 'zod';
import { component } from '../../../http/rules/members.ts';
import { SideInput } from './cells.ts';

export const ZonalStatisticsTransformation = component(
  'ZonalStatisticsTransformation',
  {
    type: z.literal('zonalStatisticsTransformation').describe('Kind, in any letter case.'),
    zonalStatistics: z
      .object({
        zones: z
          .union([
            SideInput,
            z.object({
              geometry: z.string().describe('Polygon or multi-polygon as well-known text.'),
              SRID: z
                .union([z.int(), z.string()])
                .describe('Coordinate system of the geometry: that of the data.')
                .optional(),
            }),
          ])
          .describe('Polygons: a dataset, an uploaded file, or a geometry.'),
        statistics: z
          .array(z.string())
          .describe(
            'Any of count, sum, mean, min, max, std, median and percentiles such as p05; default: count, mean, min, max.',
          )
          .optional(),
        weights: z
          .enum(['centre', 'coverage'])
          .describe('Cells count by their centre, or by the part that a zone covers; default: `centre`.')
          .optional(),
        id: z.string().describe('Field of the zones that names their time series.').optional(),
      })
      .describe('The zones, and which statistics are computed.'),
  },
  'Computes statistics of the values in zones: features with a field per statistic, or time series.',
);
