import { z } from 'zod';

/** Every refusal: RFC 9457, with `code`, `errors` and `traceId` besides. */
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
  })
  .meta({ id: 'Problem', description: 'A refusal or failure (RFC 9457).' });
export type Problem = z.infer<typeof Problem>;
