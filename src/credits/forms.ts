import { z } from 'zod';
import { uuidParam } from '../http/rules/forms.ts';
import { timestampFromText } from '../platform/text/time.ts';
import { MAX_CREDITS } from './change.ts';

const SIX_PLACES = /^\d{1,9}(\.\d{1,6})?$/;

/** An amount in requests. */
export const Credits = z
  .number()
  .positive()
  .max(MAX_CREDITS)
  .refine((value) => SIX_PLACES.test(String(value)), {
    error: ({ input }) => `must have at most six decimal places, unlike '${input}'`,
  })
  .describe('Amount, above 0 and at most 999999999.999999, with up to six decimal places.');

export const Reference = z.string().trim().min(1).max(255);
/** Compared exactly, so it is not trimmed. */
export const OperationId = z.string().min(1).max(255).meta({
  description: 'Operation that reserves or spends the credits, such as the id of a transfer.',
  example: 'run-4711',
});

const DAY = /^\d{4}-\d\d-\d\d$/;
const DAY_MS = 86_400_000;
const LAST = new Date('9999-12-31T23:59:59.999Z');

/** A time of expiry in requests; of a date the end of that day, UTC. */
export const Expiry = z
  .string()
  .trim()
  .transform((given, context) => {
    const time = timestampFromText(given);
    if (time === undefined) {
      context.addIssue(`'${given}' is not a time such as 2026-12-31 or 2026-12-31T18:00:00Z`);
      return z.NEVER;
    }
    if (!DAY.test(given)) return { given, time: `${time}Z` };
    const end = new Date(Date.parse(`${given}T00:00:00Z`) + DAY_MS);
    // Postgres does not read the year +010000
    return { given, time: end < LAST ? end.toISOString() : LAST.toISOString() };
  })
  .meta({ description: 'Time of expiry, UTC; of a date the end of that day.', example: '2026-12-31' });

/** A tenant's pool. Undefined: the generic pool, also for an empty text. */
export const Pool = z.union([z.literal('').transform(() => undefined), uuidParam()]).optional();
