import { z } from 'zod';
import { eumItemNamed, eumUnitNamed } from '../files/data/eum/eum.ts';
import {
  FIELD_TYPES,
  MAX_NAME,
  MAX_PROPERTIES,
  nameTwice,
  PROPERTY_TYPES,
  SERIES_TYPES,
  VALUE_TYPES,
} from '../files/formats/ts/definition.ts';
import { chosenName } from '../http/rules/chosen-names.ts';
import { boundedJson } from '../http/rules/names.ts';

/** Maximum numbers of definitions, so that every record stays small. */
const MAX_FIELDS = 20;
const MAX_FLAGS = 1000;

/** One of the names, in any letter case. */
const named = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  z.preprocess(
    (value) =>
      typeof value === 'string' ? (names.find((one) => one.toLowerCase() === value.toLowerCase()) ?? value) : value,
    z.enum(names),
  );
const name = () => chosenName(z.string().trim().min(1).max(MAX_NAME));

export const SeriesId = z
  .string()
  .regex(/^[A-Za-z0-9._~-]{1,128}$/, 'must have 1 to 128 characters of A-Z, a-z, 0-9 and ._~-')
  .meta({ description: 'Id of the series; 1 to 128 characters of A-Z, a-z, 0-9 and `._~-`.' });

export const SeriesProperty = z
  .object({ name: z.string(), dataType: z.enum(PROPERTY_TYPES) })
  .meta({ id: 'TimeSeriesProperty' });
export type SeriesProperty = z.infer<typeof SeriesProperty>;
/** Definitions of properties in a request. */
export const SeriesProperties = z
  .array(z.object({ name: name(), dataType: named(PROPERTY_TYPES) }).meta({ id: 'NewTimeSeriesProperty' }))
  .max(MAX_PROPERTIES);

export const Item = z
  .object({
    name: z.string(),
    unit: z.string(),
    item: z.string(),
    dataType: z.enum(VALUE_TYPES),
    timeSeriesType: z.enum(SERIES_TYPES).optional(),
    noDataValue: z.number().optional(),
    hasLayers: z.boolean().optional(),
  })
  .meta({ id: 'TimeSeriesItem' });
export type Item = z.infer<typeof Item>;

const NewItem = Item.extend({
  name: name(),
  unit: z.string().refine((text) => eumUnitNamed(text) !== undefined, {
    error: ({ input }) => `must be an identifier of an EUM unit such as eumUmeter, not '${shortened(input)}'`,
  }),
  item: z.string().refine((text) => eumItemNamed(text) !== undefined, {
    error: ({ input }) => `must be an identifier of an EUM item such as eumIWaterLevel, not '${shortened(input)}'`,
  }),
  dataType: named(VALUE_TYPES),
  timeSeriesType: named(SERIES_TYPES).optional(),
}).meta({ id: 'NewTimeSeriesItem' });

const Flag = z
  .object({
    id: z.union([z.int(), z.string().min(1).max(255)]),
    name: chosenName(z.string().min(1).max(255)),
    description: z.string().max(1000).optional(),
    level: z.union([z.int(), z.string().max(255)]).optional(),
  })
  .meta({ id: 'TimeSeriesFlag' });
export type Flag = z.infer<typeof Flag>;

export const DataField = z
  .object({ name: z.string(), dataType: z.enum(FIELD_TYPES), flags: z.array(Flag).optional() })
  .meta({ id: 'TimeSeriesDataField' });
export type DataField = z.infer<typeof DataField>;

const NewDataField = z
  .object({ name: name(), dataType: named(FIELD_TYPES), flags: z.array(Flag).max(MAX_FLAGS).optional() })
  .superRefine(({ dataType, flags = [] }, context) => {
    if (dataType !== 'Flag' && flags.length > 0)
      context.addIssue({ code: 'custom', path: ['flags'], message: `need the dataType Flag, not ${dataType}` });
    const twice = flags.find((flag, at) => flags.findIndex((one) => String(one.id) === String(flag.id)) !== at);
    if (twice)
      context.addIssue({ code: 'custom', path: ['flags'], message: `have two flags with the id '${twice.id}'` });
  })
  .meta({ id: 'NewTimeSeriesDataField' });

export const PropertyValues = boundedJson(z.record(z.string(), z.unknown()));

export const Series = z
  .object({
    id: z.string(),
    item: Item,
    properties: z.record(z.string(), z.unknown()),
    dataFields: z.array(DataField),
  })
  .meta({ id: 'TimeSeries' });
export type Series = z.infer<typeof Series>;

export const NewSeries = z
  .object({
    id: SeriesId.optional(),
    item: NewItem,
    properties: PropertyValues.optional(),
    dataFields: z
      .array(NewDataField)
      .max(MAX_FIELDS)
      .superRefine((fields, context) => {
        const twice = nameTwice(fields);
        if (twice !== undefined) context.addIssue(`contains two fields with the name '${twice}'`);
      })
      .optional(),
  })
  .meta({ id: 'NewTimeSeries' });
export type NewSeries = z.infer<typeof NewSeries>;

const shortened = (input: unknown) => String(input).slice(0, 60);
