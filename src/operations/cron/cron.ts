import { type Timestamp, timestampFromDate } from '../../platform/text/time.ts';

const MINUTE_MS = 60_000;
/** In the worst case, 29 February comes after eight years. */
const MAX_MINUTES = 8 * 366 * 24 * 60;

/** The first time after `from` that matches a cron schedule, in UTC. Undefined if there is none. */
export async function nextRun(schedule: string, from: Date): Promise<Timestamp | undefined> {
  const { parseCronItem } = await import('graphile-worker');
  const { match } = parseCronItem({ task: 'any', match: schedule });
  const first = (Math.floor(from.getTime() / MINUTE_MS) + 1) * MINUTE_MS;
  for (let minute = 0; minute < MAX_MINUTES; minute++) {
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
