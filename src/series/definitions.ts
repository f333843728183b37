import {
  FIELD_TYPES,
  MAX_NAME,
  MAX_PROPERTIES,
  nameTwice,
  PROPERTY_TYPES,
  SERIES_TYPES,
  VALUE_TYPES,
} from 'hydrofiles/series';
import { z } from 'zod';
import { chosenName } from '../http/rules/chosen-names.ts';
import { eumItemText, eumUnitText } from '../http/rules/eum.ts';
import { component, flag, number, text, textUpTo } from '../http/rules/members.ts';
import { boundedJson } from '../http/rules/names.ts';
import { queryEnum } from '../http/rules/query.ts';

/** Maximum numbers of definitions, so that every record stays small. */
const MAX_FIELDS = 20;
const MAX_FLAGS = 1000;

const name = () => chosenName(z.string().trim().min(1).max(MAX_NAME));

export const SeriesId = z
  .string()
  .regex(/^[A-Za-z0-9._~-]{1,128}$/, 'must have 1 to 128 characters of A-Z, a-z, 0-9 and ._~-')
  .meta({ description: 'Id of the series; 1 to 128 characters of A-Z, a-z, 0-9 and `._~-`.', example: 'ribe' });

export const SeriesProperty = component('TimeSeriesProperty', {
  name: text('Name of the property.', 'station'),
  dataType: z.enum(PROPERTY_TYPES).describe('`DateTime`, `Long`, `Double`, `Boolean` or `Text`.'),
});
export type SeriesProperty = z.infer<typeof SeriesProperty>;
/** Definitions of properties in a request. */
export const SeriesProperties = z
  .array(
    component('NewTimeSeriesProperty', {
      name: name().meta({ description: 'Name of the property.', example: 'station' }),
      dataType: queryEnum(PROPERTY_TYPES).describe('`DateTime`, `Long`, `Double`, `Boolean` or `Text`.'),
    }),
  )
  .max(MAX_PROPERTIES);

const SERIES_TYPE =
  'How a value relates to its time: `Instantaneous` (default), `Accumulated`, `StepAccumulated`, `MeanStepBackward` or `MeanStepForward`.';

export const Item = component('TimeSeriesItem', {
  name: text('Name of the item.', 'Water level'),
  unit: text('Identifier of the EUM unit.', 'eumUmeter'),
  item: text('Identifier of the EUM item.', 'eumIWaterLevel'),
  dataType: z.enum(VALUE_TYPES).describe('`Text`, `Date`, `Int16`, `Int32`, `Int64`, `Single` or `Double`.'),
  timeSeriesType: z.enum(SERIES_TYPES).optional().describe(SERIES_TYPE),
  noDataValue: number('Value that means no data in files.', -1e-35).optional(),
  hasLayers: flag('Whether the values have layers.').optional(),
});
export type Item = z.infer<typeof Item>;

const NewItem = Item.extend({
  name: name().meta({ description: 'Name of the item.', example: 'Water level' }),
  unit: eumUnitText(),
  item: eumItemText(),
  dataType: queryEnum(VALUE_TYPES).describe('`Text`, `Date`, `Int16`, `Int32`, `Int64`, `Single` or `Double`.'),
  timeSeriesType: queryEnum(SERIES_TYPES).optional().describe(SERIES_TYPE),
}).meta({ id: 'NewTimeSeriesItem' });

const Flag = component('TimeSeriesFlag', {
  id: z.union([z.int(), z.string().min(1).max(255)]).describe('Id of the flag, a whole number or a text.'),
  name: chosenName(z.string().min(1).max(255)).meta({
    description: 'Name of the flag, 1 to 255 characters.',
    example: 'suspect',
  }),
  description: textUpTo(1000, 'What the flag means.', 'Sensor fault').optional(),
  level: z
    .union([z.int(), z.string().max(255)])
    .optional()
    .describe('How serious the flag is.'),
});
export type Flag = z.infer<typeof Flag>;

export const DataField = component('TimeSeriesDataField', {
  name: text('Name of the field.', 'quality'),
  dataType: z.enum(FIELD_TYPES).describe('`DateTime`, `Single`, `Double`, `Flag` or `Text`.'),
  flags: z.array(Flag).optional().describe('Flags that a value may have; only for `Flag`.'),
});
export type DataField = z.infer<typeof DataField>;

const NewDataField = z
  .object({
    name: name().meta({ description: 'Name of the field.', example: 'quality' }),
    dataType: queryEnum(FIELD_TYPES).describe('`DateTime`, `Single`, `Double`, `Flag` or `Text`.'),
    flags: z.array(Flag).max(MAX_FLAGS).optional().describe('Flags that a value may have; only for `Flag`.'),
  })
  .superRefine(({ dataType, flags = [] }, context) => {
    if (dataType !== 'Flag' && flags.length > 0)
      context.addIssue({ code: 'custom', path: ['flags'], message: `need the dataType Flag, not ${dataType}` });
    const twice = flags.find((flag, at) => flags.findIndex((one) => String(one.id) === String(flag.id)) !== at);
    if (twice)
      context.addIssue({ code: 'custom', path: ['flags'], message: `have two flags with the id '${twice.id}'` });
  })
  .meta({ id: 'NewTimeSeriesDataField', example: { name: 'quality', dataType: 'Text' } });

export const PropertyValues = boundedJson(z.record(z.string(), z.unknown()));

export const Series = component(
  'TimeSeries',
  {
    id: text('Id of the series.', 'ribe'),
    item: Item.describe('Name, type and unit of the values.'),
    properties: z
      .record(z.string(), z.unknown())
      .meta({ description: 'Values of the properties, by name.', example: { station: 'Ribe' } }),
    dataFields: z.array(DataField).describe('Further values of each row, such as a quality flag.'),
  },
  'A time series without its values.',
);
export type Series = z.infer<typeof Series>;

export const NewSeries = component(
  'NewTimeSeries',
  {
    id: SeriesId.optional().describe('Id of the series; 1 to 128 characters of A-Z, a-z, 0-9 and `._~-`.'),
    item: NewItem.describe('Name, type and unit of the values.'),
    properties: PropertyValues.optional().meta({
      description: 'Values of the properties, by name.',
      example: { station: 'Ribe' },
    }),
    dataFields: z
      .array(NewDataField)
      .max(MAX_FIELDS)
      .superRefine((fields, context) => {
        const twice = nameTwice(fields);
        if (twice !== undefined) context.addIssue(`contains two fields with the name '${twice}'`);
      })
      .optional()
      .describe('Further values of each row, such as a quality flag.'),
  },
  'A time series to add.',
);
export type NewSeries = z.infer<typeof NewSeries>;
