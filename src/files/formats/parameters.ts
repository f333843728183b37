import type { z } from 'zod';
import { ConversionError } from '../errors.ts';
import { describeParameters, type ParameterDescription } from './define.ts';

/** Parameters by name, or as the list of pairs that the API also accepts. */
export type GivenParameters = Readonly<Record<string, unknown>> | readonly { name: string; value?: unknown }[];

export interface CheckedParameters {
  /** The valid parameters: declared names and parsed values. Plain JSON. */
  values: Record<string, unknown>;
  /** One sentence per invalid parameter, with the name as it was sent. */
  errors: { name: string; sentence: string }[];
}

interface Definition {
  readonly name: string;
  readonly parameters: z.ZodObject;
}

/**
 * Checks names (in any letter case) and values of the given parameters. Missing required parameters are not reported
 * here: they end the conversion, not the request.
 */
export function checkParameters(definition: Definition, given: GivenParameters): CheckedParameters {
  const declared = new Map(describeParameters(definition.parameters).map((one) => [one.name.toLowerCase(), one]));
  const values: Record<string, unknown> = {};
  const errors: CheckedParameters['errors'] = [];
  const pairs = Array.isArray(given)
    ? given.map(({ name, value }): [string, unknown] => [name, value])
    : Object.entries(given);
  for (const [name, value] of pairs) {
    if (value === null || value === undefined) continue;
    const parameter = declared.get(name.toLowerCase());
    if (parameter === undefined) errors.push({ name, sentence: unknownName(definition.name, name, declared) });
    else if (parameter.name in values)
      errors.push({ name, sentence: `Parameter '${parameter.name}' is given more than once. Give it once.` });
    else {
      const parsed = parseValue(definition.parameters.shape[parameter.name] as z.ZodType, value, parameter);
      if (parsed.success) values[parameter.name] = parsed.data;
      else errors.push({ name, sentence: wrongValue(parameter, value, parsed.error.issues) });
    }
  }
  return { values, errors };
}

/**
 * The parameters with all defaults, for a call of the reader or writer.
 * @throws ConversionError for the first missing or invalid parameter
 */
export function completeParameters(definition: Definition, given: GivenParameters): Record<string, unknown> {
  const { values, errors } = checkParameters(definition, given);
  if (errors.length > 0) throw new ConversionError(errors[0]!.sentence);
  for (const parameter of describeParameters(definition.parameters)) {
    if (values[parameter.name] !== undefined) continue;
    const assumed = (definition.parameters.shape[parameter.name] as z.ZodType).safeParse(undefined);
    // without one that is optional in the schema, the writer decides
    if (parameter.required && !assumed.success)
      throw new ConversionError(`Parameter '${parameter.name}' is required by ${definition.name}.`);
    if (assumed.data !== undefined) values[parameter.name] = assumed.data;
  }
  return values;
}

/** Parses a value given as JSON or as JSON text. Enum values match in any letter case. */
function parseValue(schema: z.ZodType, value: unknown, parameter: ParameterDescription) {
  const first = schema.safeParse(foldWord(value, parameter));
  if (first.success || typeof value !== 'string') return first;
  try {
    return schema.safeParse(foldWord(JSON.parse(value), parameter));
  } catch {
    return first;
  }
}

function foldWord(value: unknown, parameter: ParameterDescription): unknown {
  if (typeof value !== 'string') return value;
  const wanted = value.toLowerCase();
  return parameter.allowedValues?.find((one) => typeof one === 'string' && one.toLowerCase() === wanted) ?? value;
}

function unknownName(owner: string, name: string, declared: ReadonlyMap<string, ParameterDescription>): string {
  const names = [...declared.values()].map((one) => one.name).join(', ');
  return `'${name}' is not a parameter of ${owner}. ${names === '' ? 'It has none' : `Parameters: ${names}`}.`;
}

function wrongValue(parameter: ParameterDescription, value: unknown, issues: readonly z.core.$ZodIssue[]): string {
  const shown = (typeof value === 'string' ? `'${value}'` : JSON.stringify(value)).slice(0, 200);
  const own = issues.find((issue) => issue.code === 'custom')?.message;
  if (own !== undefined) return `Parameter '${parameter.name}' cannot be ${shown}: ${own}`;
  return `Parameter '${parameter.name}' cannot be ${shown}. Expected ${expected(parameter)}. ${parameter.description}`.trimEnd();
}

const kinds: Readonly<Record<string, string>> = {
  integer: 'an integer',
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

function expected({ allowedValues, dataType, minimum, maximum }: ParameterDescription): string {
  if (allowedValues !== undefined) return allowedValues.join(', ');
  const kind = kinds[dataType] ?? dataType;
  if (minimum !== undefined && maximum !== undefined) return `${kind} from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return `${kind} of at least ${minimum}`;
  return maximum === undefined ? kind : `${kind} of at most ${maximum}`;
}
