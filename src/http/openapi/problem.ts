import { z } from 'zod';

/**
 * Body of all errors: RFC 9457 with the extensions `code`, `errors`, `traceId`, and of too few credits `available` and
 * `reserved`.
 */
export const Problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string().optional(),
    errors: z.record(z.string(), z.array(z.string())).optional(),
    code: z.string(),
    traceId: z.string(),
    available: z.number().optional().meta({ description: 'With `TooFewCredits`: credits that are available.' }),
    reserved: z
      .number()
      .optional()
      .meta({ description: 'With `TooFewCredits`: credits that the operation has reserved.' }),
  })
  .meta({ id: 'Problem', description: 'An error (RFC 9457).' });
export type Problem = z.infer<typeof Problem>;
