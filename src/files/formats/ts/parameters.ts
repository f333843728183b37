import { z } from 'zod';
import { hasBidiControls, NO_BIDI_CONTROLS } from '../../data/bidi-controls.ts';
import { pointsParameter } from '../bridge-parameters.ts';
import { MAX_NAME, MAX_PROPERTIES, nameTwice, PROPERTY_TYPES } from './definition.ts';

export const readParameters = z.object({
  AllowedItemNames: z
    .array(z.string())
    .describe('Names of the items to read. Times that occur only in other items are left out. Default: all items.')
    .optional(),
  TimeSeriesIds: z
    .array(z.string())
    .describe('Ids of the series to read. Times that occur only in other series are left out. Default: all series.')
    .optional(),
});

const propertyName = z
  .string()
  .trim()
  .min(1)
  .max(MAX_NAME)
  .refine((name) => !hasBidiControls(name), NO_BIDI_CONTROLS);

export const writeParameters = z.object({
  TimeSeriesProperties: z
    .array(z.object({ name: propertyName, dataType: z.enum(PROPERTY_TYPES) }))
    .max(MAX_PROPERTIES)
    .refine((properties) => nameTwice(properties) === undefined, 'has two properties of one name')
    .describe(
      `Properties that the series of the dataset may have, as a list of {name, dataType} with the types ${PROPERTY_TYPES.join(', ')}. They have no values at first.`,
    )
    .optional(),
  ...pointsParameter,
});
