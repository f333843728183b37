import { z } from 'zod';

/** Units of durations in milliseconds. */
export const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const concealed = new WeakMap<z.ZodType, 'whole' | 'address'>();

/**
 * A setting whose value is not shown: all of it, or of an address the parts that may contain a password.
 * @param part `whole` for keys and tokens
 */
export function secret<Schema extends z.ZodType>(part: 'whole' | 'address', schema: Schema): Schema {
  concealed.set(schema, part);
  return schema;
}

/** What must not be shown of a setting. Undefined: it is no secret. */
export const secretPartOf = (schema: z.ZodType) => concealed.get(schema);

/** `30m`, `2s`, `365d`, `500ms` → milliseconds. */
export const duration = z
  .string()
  .regex(/^\d+(ms|s|m|h|d)$/, 'must be a duration such as 30m, 2s or 365d')
  .transform((text) => {
    const [, count, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(text) as unknown as [string, string, keyof typeof UNITS];
    return Number(count) * UNITS[unit];
  });

/** `6000/1m` → requests in a window of milliseconds; `off` → Infinity. */
export const rate = z
  .string()
  .regex(/^(off|[1-9]\d{0,11}\/[1-9]\d*(ms|s|m|h|d))$/, 'must be a number in a duration such as 6000/1m, or off')
  .transform((text) => {
    const [count, window] = text.split('/');
    return window === undefined
      ? { count: Number.POSITIVE_INFINITY, windowMs: UNITS.m }
      : { count: Number(count), windowMs: duration.parse(window) };
  });

/** Comma-separated in the environment. */
export const list = z
  .union([z.array(z.string()), z.string()])
  .transform((value) => (Array.isArray(value) ? value : value.split(',')).map((part) => part.trim()).filter(Boolean));

/** `accounts=5m,crs=1d` → milliseconds by name. */
export const durations = list
  .pipe(z.array(z.string().regex(/^[\w-]+=\d+(ms|s|m|h|d)$/, 'must be name=duration, such as accounts=5m')))
  .transform(
    (entries): Record<string, number> =>
      Object.fromEntries(
        entries.map((entry) => entry.split('=')).map(([name = '', text]) => [name, duration.parse(text)] as const),
      ),
  );
/** `name=value,other=value`. The error does not repeat the value, which may contain a secret. */
export const headerList = list
  .refine((entries) => entries.every((entry) => /^[\w-]+=/.test(entry)), { error: 'must be a list of name=value' })
  .transform(
    (entries): Record<string, string> =>
      Object.fromEntries(
        entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
      ),
  );
/** `tiles=Maps,VtuWriter=3D` → value by name. */
export const named = list
  .refine((entries) => entries.every((entry) => /^[\w-]+=./.test(entry)), {
    error: 'must be a list of name=value, such as tiles=Maps',
  })
  .transform(
    (entries): Record<string, string> =>
      Object.fromEntries(
        entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1).trim()]),
      ),
  );
/** `Dfs2Reader=0.5,memoryGbHour=2` → number by name. */
export const amounts = list
  .refine((entries) => entries.every((entry) => /^\w+=\d{1,9}(\.\d{1,6})?$/.test(entry)), {
    error: 'must be a list of name=number, such as Dfs2Reader=0.5',
  })
  .transform(
    (entries): Record<string, number> =>
      Object.fromEntries(entries.map((entry) => entry.split('=')).map(([name = '', text]) => [name, Number(text)])),
  );
/** A boolean of a JSON file, or its text in the environment. */
export const flag = z
  .union([z.boolean(), z.string()], { error: 'must be true or false' })
  .transform((value) => (typeof value === 'string' ? value.trim().toLowerCase() : String(value)))
  .pipe(z.enum(['true', 'false'], { error: 'must be true or false' }))
  .transform((value) => value === 'true');
export function integer(minimum: number, maximum = Number.MAX_SAFE_INTEGER) {
  const bounds = maximum === Number.MAX_SAFE_INTEGER ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`;
  const error = `must be a whole number ${bounds}`;
  return z.coerce.number({ error }).int({ error }).min(minimum, { error }).max(maximum, { error });
}

/** A list in a JSON file, or its JSON text in the environment. */
export const jsonList = <T extends z.ZodType>(one: T) =>
  z.preprocess((value, context) => {
    if (typeof value !== 'string') return value;
    try {
      return JSON.parse(value);
    } catch {
      context.addIssue('must be a JSON list');
      return [];
    }
  }, z.array(one));
