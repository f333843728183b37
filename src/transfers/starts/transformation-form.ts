import { z } from 'zod';
import { describedAs } from '../../http/openapi/described-as.ts';
import { component, number, text, texts } from '../../http/rules/members.ts';
import { CalculateTransformation } from './forms/calculate.ts';
import { ContoursTransformation } from './forms/contours.ts';
import { MosaicTransformation, StackTransformation } from './forms/join.ts';
import { ProfileTransformation } from './forms/profile.ts';
import { RasterizeTransformation } from './forms/rasterize.ts';
import { ItemTransformation } from './forms/redefine.ts';
import { ResampleTransformation } from './forms/resample.ts';
import { ZonalStatisticsTransformation } from './forms/zonal-statistics.ts';

const srid = (description: string) => z.union([z.int(), z.string()]).describe(description);
const type = <Name extends string>(name: Name) => z.literal(name).describe('Kind, in any letter case.');
const ends = {
  from: z.int().min(0).describe('First index, from 0; absent: from the start of the data.').optional(),
  to: z.int().min(0).describe('Last index, from 0; absent: to the end of the data.').optional(),
};

const CrsTransformation = component(
  'CrsTransformation',
  {
    type: type('crsTransformation'),
    inputSrid: srid('The coordinate system of the data; overrides that of the file.').optional(),
    outputSrid: srid('The coordinate system of the result, such as 25832.'),
  },
  'Transforms to another coordinate system.',
);

const ItemFilter = component('ItemFilter', {
  names: texts('Names of bands or fields.').optional(),
  itemIndices: z.array(z.int().min(0)).describe('Indices of bands or fields, from 0.').optional(),
});
const ItemFilterTransformation = component(
  'ItemFilterTransformation',
  {
    type: type('itemFilterTransformation'),
    itemFilter: z.union([ItemFilter, z.array(ItemFilter)]).describe('Keeps only these items, in this order.'),
  },
  'Keeps only these bands or fields.',
);

const SpatialFilterTransformation = component(
  'SpatialFilterTransformation',
  {
    type: type('spatialFilterTransformation'),
    spatialFilter: z
      .object({
        geometry: text('WKT of any kind.'),
        SRID: srid("The geometry's coordinate system; absent: that of the data.").optional(),
      })
      .describe('The area that is kept.'),
  },
  'Keeps only data inside an area.',
);

const TemporalFilter = z.union([
  z.object({
    type: type('TemporalIndexFilter'),
    ...ends,
  }),
  z.object({
    type: type('TemporalValueFilter'),
    from: text('First time; absent: from the start of the data.').optional(),
    to: text('Last time; absent: to the end of the data.').optional(),
    at: text('One time, instead of an interval.').optional(),
  }),
  z.object({
    type: type('TemporalIndexListFilter'),
    indices: z.array(z.int().min(0)).describe('Indices of steps, from 0.').optional(),
    except: z.array(z.int().min(0)).describe('Indices of steps that are left out, instead of `indices`.').optional(),
  }),
]);
const TemporalFilterTransformation = component(
  'TemporalFilterTransformation',
  {
    type: type('temporalFilterTransformation'),
    temporalFilter: TemporalFilter.describe('The steps that are kept.'),
  },
  'Keeps only some time steps.',
);

const VerticalFilterTransformation = component(
  'VerticalFilterTransformation',
  {
    type: type('verticalFilterTransformation'),
    verticalFilter: z
      .union([
        z.object({
          type: type('VerticalIndexFilter'),
          ...ends,
        }),
        z.object({
          type: type('VerticalValueFilter'),
          from: number('Lowest height; absent: from the lowest layer.').optional(),
          to: number('Greatest height; absent: to the highest layer.').optional(),
        }),
      ])
      .describe('The layers that are kept.'),
  },
  'Keeps only some layers.',
);

const CalculateStatisticsTransformation = component(
  'CalculateStatisticsTransformation',
  { type: type('calculateStatisticsTransformation') },
  'Changes nothing; fills `properties.statistics`.',
);

/**
 * `src/files/convert/steps/transformations.ts` reads them: names of kinds and members in any letter case, all mistakes
 * at once.
 */
export const Transformation = describedAs(
  z.unknown(),
  z
    .union([
      CrsTransformation,
      ItemFilterTransformation,
      SpatialFilterTransformation,
      TemporalFilterTransformation,
      VerticalFilterTransformation,
      CalculateStatisticsTransformation,
      ItemTransformation,
      ResampleTransformation,
      ContoursTransformation,
      CalculateTransformation,
      ProfileTransformation,
      MosaicTransformation,
      StackTransformation,
      RasterizeTransformation,
      ZonalStatisticsTransformation,
    ])
    .meta({
      id: 'Transformation',
      description:
        'A step between reader and writer. The list of readers names the transformations for the data of each reader.',
    }),
);
