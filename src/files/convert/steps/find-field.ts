import type { Field } from '../../data/feature-collection.ts';
import { ConversionError } from '../../errors.ts';

/** Maximum number of fields that a message names. */
const maxNamed = 50;

/**
 * Index of the field of a name, in any letter case if none has the same.
 * @param of what has the fields, such as `The zones`
 * @throws ConversionError if there is none
 */
export function fieldIndex(fields: readonly Field[], name: string, of: string): number {
  const exact = fields.findIndex((field) => field.name === name);
  const found = exact >= 0 ? exact : fields.findIndex((field) => field.name.toLowerCase() === name.toLowerCase());
  if (found >= 0) return found;
  const names = fields.slice(0, maxNamed).map((field) => `'${field.name}'`);
  throw new ConversionError(
    `${of} have no field '${name}'. ${names.length === 0 ? 'They have none at all.' : `They have ${names.join(', ')}.`}`,
  );
}
