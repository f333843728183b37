import type { Reads } from '../db.ts';
import type { Caller } from '../http/caller.ts';
import { dateFromTimestamp, type Timestamp, timestampFromDate } from '../platform/text/time.ts';
import { type Expiry, findPace, listExpiries } from './ledger.queries.ts';
import { checkMayQuery } from './rights.ts';

const DAY_MS = 86_400_000;

export interface Forecast {
  available: number;
  /** Mean of the last days. */
  spentPerDay: number;
  /** When nothing is left at this pace. Absent: nothing is spent. */
  lastsUntil?: Timestamp;
  expiring: {
    expiresAt: string;
    credits: number;
    /** Credits left unspent when they expire, at this pace. */
    unspent: number;
  }[];
}

/** When credits of a tenant expire, and how long they last at the pace of the last days. */
export async function forecast(db: Reads, caller: Caller, tenantId: string, days: number): Promise<Forecast> {
  await checkMayQuery(db, caller, tenantId);
  const { spent, now } = await findPace(db, tenantId, days);
  return project(await listExpiries(db, tenantId), spent / days, dateFromTimestamp(now));
}

/** Burns credits at a constant pace, the earliest expiry first. */
export function project(expiries: readonly Expiry[], perDay: number, from: Date): Forecast {
  // time when the credits up to this expiry are used up
  let at = from.getTime();
  const expiring = expiries.map(({ expiresAt, instant, credits }) => {
    const end = dateFromTimestamp(instant).getTime();
    const usable = (Math.max(0, end - at) / DAY_MS) * perDay;
    const unspent = Math.max(0, credits - usable);
    at = unspent > 0 ? Math.max(at, end) : at + (credits / perDay) * DAY_MS;
    return { expiresAt, credits, unspent: sixPlaces(unspent) };
  });
  const available = sixPlaces(expiries.reduce((sum, { credits }) => sum + credits, 0));
  const last = new Date(at);
  const known = available > 0 && !Number.isNaN(last.getTime());
  return {
    available,
    spentPerDay: sixPlaces(perDay),
    ...(known ? { lastsUntil: timestampFromDate(last) } : {}),
    expiring,
  };
}

const sixPlaces = (value: number) => Math.round(value * 1e6) / 1e6;
