import type { z } from 'zod';

const shownFor = new WeakMap<z.core.$ZodType, z.core.$ZodType>();

/** A schema that takes more than it says, such as names in any letter case, is shown as another one in the OpenAPI document. */
export function describedAs<Taken extends z.core.$ZodType>(taken: Taken, shown: z.core.$ZodType): Taken {
  shownFor.set(taken, shown);
  return taken;
}

export const shownAs = (schema: z.core.$ZodType): z.core.$ZodType | undefined => shownFor.get(schema);
