import { parseCronItem } from 'graphile-worker';
import type { Timestamp } from '../../platform/text/time.ts';
import { timestampFromDate } from '../../platform/text/time.ts';

const MINUTE_MS = 60_000;
/** 29 February comes once in eight years at the worst. */
const FARTHEST_MINUTES = 8 * 366 * 24 * 60;

/** The first minute after `from` at which the queue will start what has this schedule, in UTC; undefined: never. */
export function nextRun(schedule: string, from: Date): Timestamp | undefined {
  const { match } = parseCronItem({ task: 'any', match: schedule });
  const first = (Math.floor(from.getTime() / MINUTE_MS) + 1) * MINUTE_MS;
  for (let minute = 0; minute < FARTHEST_MINUTES; minute++) {
    const at = new Date(first + minute * MINUTE_MS);
    const digest = {
      min: at.getUTCMinutes(),
      hour: at.getUTCHours(),
      date: at.getUTCDate(),
      month: at.getUTCMonth() + 1,
      dow: at.getUTCDay(),
    };
    if (match(digest)) return timestampFromDate(at);
  }
  return undefined;
}
