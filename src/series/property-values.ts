import { invalidMember } from '../errors.ts';
import { parseTime } from './clock.ts';
import type { SeriesProperty } from './definitions.ts';

/** Whether a value has the type of a property. Null: the property has no value. */
export function hasType(value: unknown, dataType: SeriesProperty['dataType']): boolean {
  switch (dataType) {
    case 'DateTime':
      return typeof value === 'string' && parseTime(value) !== undefined;
    case 'Long':
      return Number.isSafeInteger(value);
    case 'Double':
      return typeof value === 'number';
    case 'Boolean':
      return typeof value === 'boolean';
    case 'Text':
      return typeof value === 'string';
  }
}

/** Throws `invalid` for a property that the dataset does not define, or a value of another type. */
export function checkValue(schema: readonly SeriesProperty[], name: string, value: unknown, path: string): void {
  const known = schema.find((one) => one.name === name);
  if (!known) {
    const names = schema.map((one) => one.name).join(', ') || 'none';
    throw invalidMember(path, `The dataset defines no property '${name}', but ${names}.`);
  }
  if (value === null || hasType(value, known.dataType)) return;
  const shown = JSON.stringify(value)?.slice(0, 60);
  throw invalidMember(path, `Property '${name}' has the type ${known.dataType}, which ${shown} is not.`);
}
