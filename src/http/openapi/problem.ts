import { z } from 'zod';
import { component, number, text, uuidText } from '../rules/members.ts';

/**
 * Body of all errors: RFC 9457 with the extensions `code`, `errors`, `traceId`, of too few credits `available` and
 * `reserved`, and of a stale version the present `rowVersion`.
 */
export const Problem = component(
  'Problem',
  {
    type: text('Always `about:blank`.', 'about:blank'),
    title: text('Name of the HTTP status.', 'Bad Request'),
    status: z.int().meta({ description: 'The HTTP status.', example: 400 }),
    detail: text('What is wrong and what to do.', 'name must not be empty'),
    instance: text('Path of the request.', '/api/metadata/project').optional(),
    errors: z
      .record(z.string(), z.array(z.string()))
      .optional()
      .meta({ description: 'Path of a member in the request → messages.', example: { name: ['must not be empty'] } }),
    code: text('Stable error code.', 'Invalid'),
    traceId: uuidText('Request id, for the logs.'),
    available: number('With `TooFewCredits`: credits that are available.').optional(),
    reserved: number('With `TooFewCredits`: credits that the operation has reserved.').optional(),
    rowVersion: text('With `StaleRowVersion`: the present version of the record.', '7').optional(),
  },
  'An error (RFC 9457).',
);
export type Problem = z.infer<typeof Problem>;
