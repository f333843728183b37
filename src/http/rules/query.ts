import { z } from 'zod';
import { invalidMember } from '../../errors.ts';
import type { Timestamp } from '../../platform/text/time.ts';
import { durationFromText, timestampFromText } from '../../platform/text/time.ts';
import { defOf } from './shapes.ts';
import { instead } from './validation.ts';

/** `1`, `-5`; not `1.0`, `0x1` or an empty text. */
export const queryInteger = (least: number, most: number) => {
  const wrong = {
    error: ({ input }: { input?: unknown }) => `must be a whole number from ${least} to ${most}${instead(input)}`,
  };
  return z.preprocess(
    (value) => (typeof value === 'string' && /^[+-]?\d{1,16}$/.test(value.trim()) ? Number(value) : value),
    z.int(wrong).min(least, wrong).max(most, wrong),
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

/** One of the values, sent in any letter case. */
export const queryEnum = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.preprocess((value) => {
    if (typeof value !== 'string') return value;
    const lower = value.toLowerCase();
    return values.find((known) => known.toLowerCase() === lower) ?? value;
  }, z.enum(values));

/** A name that may be repeated; sent once it is a list of one. */
export const queryList = <Item extends z.ZodType>(item: Item) => z.array(item);

/** A time in any of the forms that clients send; given on in wire form. */
export const queryTime = () =>
  z
    .string()
    .transform((text, context): Timestamp => {
      const time = timestampFromText(text);
      if (time === undefined) {
        context.addIssue(`'${text}' is no time such as 2026-01-24T08:17:02 or 2026-01-24`);
        return z.NEVER;
      }
      return time;
    })
    .meta({ description: 'UTC: 2026-01-24T08:17:02[.435][Z], 2026-01-24T081702 or 2026-01-24' });

/** A duration in any of the forms that clients send, more than nothing and at most `most`; given on in milliseconds. */
export const queryDuration = (most: number) =>
  z
    .string()
    .transform((text, context): number => {
      const duration = durationFromText(text);
      if (duration !== undefined && duration > 0 && duration <= most) return duration;
      context.addIssue(`'${text}' is no duration such as 1:00:00 or 2.12:00:00, of at most ${most / 86_400_000} days`);
      return z.NEVER;
    })
    .meta({ description: '[d.]h:mm:ss or N days, h:mm:ss' });

interface Parameter {
  name: string;
  list: boolean;
}

/**
 * Makes the function that reads a query as its schema names it: names in any letter case, the values of a repeated one together,
 * strangers dropped. A name that has one value and is sent twice is refused.
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
        throw invalidMember(sent, `'${name}' may be given only once.`);
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
