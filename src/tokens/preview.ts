import type { Database } from '../db.ts';
import { type GroupParts, getGroup, revealMetadata } from '../groups/manage.ts';
import { checkMetadata } from '../groups/metadata.ts';
import { type Requirement, readRequirement } from '../groups/second-factor.ts';
import { keepHiddenCodes, revealEntries } from '../groups/setup-codes.ts';
import { type LoginRow, listFactorsOfMembers, listLoginsOfMembers } from './preview.queries.ts';
import { deleteOldLogins } from './queries.ts';
import { decideBy, fingerprint } from './second-factor.ts';

/** How far back logins are replayed, and how long they are stored. */
const DAYS = 30;

/** Past logins from one address that would have another outcome. */
export interface Affected {
  address: string;
  logins: number;
  lastAt: string;
}

export interface PreviewedAccount {
  id: string;
  logins: number;
  /** Logins that would be refused. */
  refused: Affected[];
  /** Logins that would need a code. */
  asked: Affected[];
  /** A code would be needed, but the account has used none of the authenticators, or none that is left. */
  mustRegister: boolean;
}

/** Replays the logins of a group's members in the last 30 days under changed second-factor entries. */
export async function previewSecondFactor(
  parts: GroupParts,
  groupId: string,
  entries: readonly string[],
): Promise<{ days: number; lockedOut: string[]; registerAgain: string[]; accounts: PreviewedAccount[] }> {
  const { db, secondFactorKey: key, sealer } = parts;
  const before = (await revealMetadata(db, parts, await getGroup(db, groupId)))[key];
  const after = keepHiddenCodes(before, entries);
  checkMetadata({ [key]: after }, key);
  const present = readRequirement(before);
  const wanted = readRequirement(after);
  const logins = Map.groupBy(await listLoginsOfMembers(db, groupId, DAYS), ({ userId }) => userId);
  const members = await listFactorsOfMembers(db, groupId, key);
  const requirements = new Map<string, Requirement>();
  for (const factor of members.flatMap(({ others }) => others)) {
    if (!requirements.has(factor.id))
      requirements.set(factor.id, readRequirement(await revealEntries(db, sealer, factor)));
  }
  const accounts = members.map(({ userId, id, others, own, proved }) => {
    const elsewhere = others.flatMap((other) => requirements.get(other.id) ?? []);
    const replayed = replay(logins.get(userId) ?? [], own, [...elsewhere, present], [...elsewhere, wanted]);
    const isReady = (requirements: Requirement[]) =>
      own.length > 0 ||
      requirements
        .flatMap(({ authenticators }) => authenticators)
        .some(({ type, setupCode }) => proved.includes(fingerprint(type, setupCode).toString('hex')));
    const ready = isReady([...elsewhere, wanted]);
    // with a replaced authenticator nobody is asked where they were not before, and yet must register
    const again = !ready && wanted.authenticators.length > 0 && isReady([...elsewhere, present]);
    return { id, ...replayed, mustRegister: again || (!ready && replayed.asked.length > 0), again };
  });
  const lockedOut = accounts.filter(({ refused }) => refused.length > 0).map(({ id }) => id);
  const registerAgain = accounts.filter(({ again }) => again).map(({ id }) => id);
  return { days: DAYS, lockedOut, registerAgain, accounts: accounts.map(({ again: _, ...account }) => account) };
}

function replay(logins: readonly LoginRow[], own: readonly string[], before: Requirement[], after: Requirement[]) {
  const refused: Affected[] = [];
  const asked: Affected[] = [];
  for (const { address, times, lastAt } of logins) {
    const was = decideBy(before, own, address).outcome;
    const is = decideBy(after, own, address).outcome;
    const affected = { address, logins: times, lastAt };
    if (is === 'forbidden' && was !== 'forbidden') refused.push(affected);
    if (is === 'code' && was !== 'code') asked.push(affected);
  }
  return { logins: logins.reduce((sum, { times }) => sum + times, 0), refused, asked };
}

/** Part of the hourly clean-up. */
export const forgetReplayedLogins = (db: Database) => db.transaction((tx) => deleteOldLogins(tx, DAYS));
