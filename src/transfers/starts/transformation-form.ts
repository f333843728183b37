import { z } from 'zod';
import { describedAs } from '../../http/openapi/described-as.ts';

const srid = (description: string) => z.union([z.int(), z.string()]).meta({ description });
const type = <Name extends string>(name: Name) => z.literal(name).meta({ description: 'Kind, in any letter case.' });
const ends = { index: 'Index from 0; absent: the end of the data.', value: 'Absent: the end of the data.' };

const CrsTransformation = z
  .object({
    type: type('crsTransformation'),
    inputSrid: srid('The coordinate system of the data; overrides that of the file.').optional(),
    outputSrid: srid('The coordinate system of the result, such as 25832.'),
  })
  .meta({ id: 'CrsTransformation', description: 'Transforms to another coordinate system.' });

const ItemFilter = z
  .object({
    names: z.array(z.string()).meta({ description: 'Names of bands or fields.' }).optional(),
    itemIndices: z.array(z.int().min(0)).meta({ description: 'Indices of bands or fields, from 0.' }).optional(),
  })
  .meta({ id: 'ItemFilter' });
const ItemFilterTransformation = z
  .object({
    type: type('itemFilterTransformation'),
    itemFilter: z
      .union([ItemFilter, z.array(ItemFilter)])
      .meta({ description: 'Keeps only these items, in this order.' }),
  })
  .meta({ id: 'ItemFilterTransformation', description: 'Keeps only these bands or fields.' });

const SpatialFilterTransformation = z
  .object({
    type: type('spatialFilterTransformation'),
    spatialFilter: z
      .object({
        geometry: z.string().meta({ description: 'WKT of any kind.' }),
        SRID: srid("The geometry's coordinate system; absent: that of the data.").optional(),
      })
      .meta({ description: 'The area that is kept.' }),
  })
  .meta({ id: 'SpatialFilterTransformation', description: 'Keeps only data inside an area.' });

const TemporalFilter = z.union([
  z.object({
    type: type('TemporalIndexFilter'),
    from: z.int().min(0).meta({ description: ends.index }).optional(),
    to: z.int().min(0).meta({ description: ends.index }).optional(),
  }),
  z.object({
    type: type('TemporalValueFilter'),
    from: z.string().meta({ description: ends.value }).optional(),
    to: z.string().meta({ description: ends.value }).optional(),
    at: z.string().meta({ description: 'One time, instead of an interval.' }).optional(),
  }),
  z.object({
    type: type('TemporalIndexListFilter'),
    indices: z.array(z.int().min(0)).meta({ description: 'Indices of steps, from 0.' }),
  }),
]);
const TemporalFilterTransformation = z
  .object({
    type: type('temporalFilterTransformation'),
    temporalFilter: TemporalFilter.meta({ description: 'The steps that are kept.' }),
  })
  .meta({ id: 'TemporalFilterTransformation', description: 'Keeps only some time steps.' });

const VerticalFilterTransformation = z
  .object({
    type: type('verticalFilterTransformation'),
    verticalFilter: z
      .union([
        z.object({
          type: type('VerticalIndexFilter'),
          from: z.int().min(0).meta({ description: ends.index }).optional(),
          to: z.int().min(0).meta({ description: ends.index }).optional(),
        }),
        z.object({
          type: type('VerticalValueFilter'),
          from: z.number().meta({ description: ends.value }).optional(),
          to: z.number().meta({ description: ends.value }).optional(),
        }),
      ])
      .meta({ description: 'The layers that are kept.' }),
  })
  .meta({ id: 'VerticalFilterTransformation', description: 'Keeps only some layers.' });

const CalculateStatisticsTransformation = z
  .object({ type: type('calculateStatisticsTransformation') })
  .meta({ id: 'CalculateStatisticsTransformation', description: 'Changes nothing; fills `properties.statistics`.' });

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
    ])
    .meta({
      id: 'Transformation',
      description:
        'A step between reader and writer. The list of readers names the transformations for the data of each reader.',
    }),
);
