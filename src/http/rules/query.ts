import { z } from 'zod';
import { invalidMember } from '../../errors.ts';
import { dataTimeFromText, durationFromText, type Timestamp, timestampFromText } from '../../platform/text/time.ts';
import { defOf } from './shapes.ts';
import { instead } from './validation.ts';

/** An integer such as `1` or `-5`; not `1.0`, `0x1` or an empty text. */
export const queryInteger = (minimum: number, maximum: number) => {
  const message = {
    error: ({ input }: { input?: unknown }) => `must be a whole number from ${minimum} to ${maximum}${instead(input)}`,
  };
  return z.preprocess(
    (value) => (typeof value === 'string' && /^[+-]?\d{1,16}$/.test(value.trim()) ? Number(value) : value),
    z.int(message).min(minimum, message).max(maximum, message),
  );
};

/** `true` and `false` in any letter case. */
export const queryBoolean = () =>
  z.preprocess(
    (value) => {
      const lower = typeof value === 'string' ? value.toLowerCase() : value;
      return lower === 'true' ? true : lower === 'false' ? false : value;
    },
    z.boolean({ error: ({ input }) => `must be true or false${instead(input)}` }),
  );

/** One of the values, in any letter case. */
export const queryEnum = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.preprocess((value) => {
    if (typeof value !== 'string') return value;
    const lower = value.toLowerCase();
    return values.find((known) => known.toLowerCase() === lower) ?? value;
  }, z.enum(values));

/** A parameter that may be repeated. */
export const queryList = <Item extends z.ZodType>(item: Item) => z.array(item);

/** The end of a UUID. */
export const idEnding = () =>
  z
    .string()
    .toLowerCase()
    .regex(/^[0-9a-f-]{0,30}[0-9a-f]{6}$/, 'must be the last 6 to 36 characters of an id')
    .meta({ description: 'Only with an id that ends so: its last 6 characters or more', example: '4c1f6a2b' });

/** A time in any form that clients send. Output: the format of times in the API. */
export const queryTime = (description: string) => timeReadBy(timestampFromText, `${description}, UTC.`);

/** A time on the clock of data. */
export const queryDataTime = (description: string) =>
  timeReadBy(dataTimeFromText, `${description}, on the clock of the data.`);

const timeReadBy = (read: typeof timestampFromText, description: string) =>
  z
    .string()
    .transform((text, context): Timestamp => {
      const time = read(text);
      if (time === undefined) {
        context.addIssue(`'${text}' is not a time such as 2026-01-24T08:17:02 or 2026-01-24`);
        return z.NEVER;
      }
      return time;
    })
    .meta({ description, example: '2026-01-24T08:17:02' });

/** A duration in any form that clients send, greater than 0. Output: milliseconds. */
export const queryDuration = (maxMs: number, description: string) =>
  z
    .string()
    .transform((text, context): number => {
      const duration = durationFromText(text);
      if (duration !== undefined && duration > 0 && duration <= maxMs) return duration;
      context.addIssue(
        `'${text}' is not a duration such as 1:00:00 or 2.12:00:00 of at most ${maxMs / 86_400_000} days`,
      );
      return z.NEVER;
    })
    .meta({ description: `${description}: \`[d.]h:mm:ss\` or \`N days, h:mm:ss\`.`, example: '1:00:00' });

interface Parameter {
  name: string;
  list: boolean;
}

/**
 * Compiles a function that folds a query to its schema: accepts names in any letter case, collects the values of
 * repeated parameters and removes undeclared ones. Throws if a parameter that is not a list is repeated.
 */
export function queryFoldFor(schema: z.core.$ZodType): (query: Record<string, unknown>) => Record<string, unknown> {
  const parameters = new Map<string, Parameter>();
  for (const [name, member] of Object.entries(defOf(schema).shape ?? {})) {
    parameters.set(name.toLowerCase(), { name, list: isList(member) });
  }
  return (query) => {
    const folded: Record<string, unknown> = {};
    for (const sent of Object.keys(query)) {
      const parameter = parameters.get(sent) ?? parameters.get(sent.toLowerCase());
      if (!parameter) continue;
      const { name, list } = parameter;
      const value = query[sent];
      const before = folded[name];
      if (list) folded[name] = [...((before as unknown[]) ?? []), ...(Array.isArray(value) ? value : [value])];
      else if (before !== undefined || Array.isArray(value))
        throw invalidMember(sent, `The parameter '${name}' was sent more than once. Send it once.`);
      else folded[name] = value;
    }
    return folded;
  };
}

function isList(schema: z.core.$ZodType): boolean {
  const def = defOf(schema);
  if (def.type === 'array') return true;
  if (def.type === 'pipe') return isList(def.out) || isList(def.in);
  return def.innerType !== undefined && isList(def.innerType);
}
