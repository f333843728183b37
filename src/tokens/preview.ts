import type { Db } from '../db.ts';
import { getGroup } from '../groups/manage.ts';
import { checkMetadata } from '../groups/metadata.ts';
import type { Demand } from '../groups/second-factor.ts';
import { decide, readDemand } from '../groups/second-factor.ts';
import { forgetOldLogins } from './logins.queries.ts';
import type { LoginRow } from './preview.queries.ts';
import { listFactorsOfMembers, listLoginsOfMembers } from './preview.queries.ts';
import { fingerprintOf } from './second-factor.ts';

/** How far back logins are replayed, and how long they are remembered. */
const DAYS = 30;

/** A login of the past that would go another way. */
export interface Affected {
  address: string;
  logins: number;
  lastAt: string;
}

export interface PreviewedAccount {
  id: string;
  logins: number;
  /** Would be turned away, which was let in. */
  refused: Affected[];
  /** Would be asked for a code, which was not. */
  asked: Affected[];
  /** A code would be asked for, and none of the authenticators has ever given this account one. */
  mustRegister: boolean;
}

/** What a change of a group's second-factor entries would have meant for the logins of its members in the last 30 days. */
export async function previewSecondFactor(
  { db, metadataKey }: { db: Db; metadataKey: string },
  groupId: string,
  entries: readonly string[],
): Promise<{ days: number; lockedOut: string[]; accounts: PreviewedAccount[] }> {
  checkMetadata({ [metadataKey]: entries }, metadataKey);
  const { metadata } = await getGroup(db, groupId);
  const present = readDemand(metadata[metadataKey]);
  const wanted = readDemand(entries);
  const logins = Map.groupBy(await listLoginsOfMembers(db, groupId, DAYS), ({ userId }) => userId);
  const accounts = (await listFactorsOfMembers(db, groupId, metadataKey)).map(({ userId, id, others, own, proved }) => {
    const elsewhere = others.map(readDemand);
    const replayed = replay(logins.get(userId) ?? [], own, [...elsewhere, present], [...elsewhere, wanted]);
    const usable = [...elsewhere, wanted].flatMap(({ authenticators }) =>
      authenticators.map(({ type, setupCode }) => fingerprintOf(type, setupCode).toString('hex')),
    );
    const ready = own.length > 0 || usable.some((fingerprint) => proved.includes(fingerprint));
    return { id, ...replayed, mustRegister: replayed.asked.length > 0 && !ready };
  });
  const lockedOut = accounts.filter(({ refused }) => refused.length > 0).map(({ id }) => id);
  return { days: DAYS, lockedOut, accounts };
}

function replay(logins: readonly LoginRow[], own: readonly string[], before: Demand[], after: Demand[]) {
  const refused: Affected[] = [];
  const asked: Affected[] = [];
  for (const { address, times, lastAt } of logins) {
    const was = decide(before, own, address).outcome;
    const is = decide(after, own, address).outcome;
    const affected = { address, logins: times, lastAt };
    if (is === 'forbidden' && was !== 'forbidden') refused.push(affected);
    if (is === 'code' && was !== 'code') asked.push(affected);
  }
  return { logins: logins.reduce((sum, { times }) => sum + times, 0), refused, asked };
}

/** Part of the hourly clean-up. */
export const forgetReplayedLogins = (db: Db) => forgetOldLogins(db, DAYS);
