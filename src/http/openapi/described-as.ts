import type { z } from 'zod';

const documented = new WeakMap<z.core.$ZodType, z.core.$ZodType>();

/** The OpenAPI document shows `shown` instead of `schema`, which accepts more forms than should be documented. */
export function describedAs<Schema extends z.core.$ZodType>(schema: Schema, shown: z.core.$ZodType): Schema {
  documented.set(schema, shown);
  return schema;
}

export const documentedSchema = (schema: z.core.$ZodType): z.core.$ZodType | undefined => documented.get(schema);
