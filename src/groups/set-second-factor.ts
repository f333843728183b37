import { audit, by } from '../audit.ts';
import type { Reads } from '../db.ts';
import { conflict } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { checkRowVersion } from '../http/rules/row-version.ts';
import { changeMetadata, type GroupParts, getGroup } from './manage.ts';
import { lockGroups } from './queries.ts';
import { NETWORK, splitEntry } from './second-factor.ts';

/** The second-factor entries of a group, with hidden setup codes, and its version. */
export async function getSecondFactor(db: Reads, { secondFactorKey }: Pick<GroupParts, 'secondFactorKey'>, id: string) {
  const { metadata, rowVersion } = await getGroup(db, id);
  const entries = metadata[secondFactorKey];
  const texts = Array.isArray(entries) ? entries.filter((entry): entry is string => typeof entry === 'string') : [];
  return { entries: texts, rowVersion };
}

/**
 * Replaces the second-factor entries of a group. An empty list removes the second factor.
 * @param before entries as the caller read them; throws `conflict` if the group has others now
 * @param rowVersion version of the group that the caller read; throws `conflict` if it is another one now
 */
export async function setSecondFactor(
  parts: GroupParts,
  caller: Caller,
  id: string,
  change: { entries: readonly string[]; before?: readonly string[] | undefined; rowVersion?: string | undefined },
): Promise<void> {
  const key = parts.secondFactorKey;
  const { entries, before, rowVersion } = change;
  await parts.db.transaction(async (tx) => {
    await lockGroups(tx, [id]);
    const group = await getGroup(tx, id);
    checkRowVersion('Group', group, rowVersion);
    const { entries: present } = await getSecondFactor(tx, parts, id);
    if (before !== undefined && JSON.stringify(before) !== JSON.stringify(present))
      throw conflict(`The second factor of group '${id}' has changed meanwhile. Read it again.`, {
        code: 'SecondFactorChanged',
      });
    const { [key]: _before, ...others } = group.metadata;
    await changeMetadata(tx, parts, group, entries.length > 0 ? { ...others, [key]: entries } : others);
    const { networks, types } = describeEntries(entries);
    await audit(tx, {
      action: 'group.set-second-factor',
      subject: id,
      ...by(caller),
      // setup codes are secrets
      details: { networks, authenticators: types },
    });
  });
}

/** Networks and types of authenticators, also of those whose setup code is hidden. */
function describeEntries(entries: readonly string[]) {
  const parts = entries.map(splitEntry);
  return {
    networks: parts.filter(({ type }) => type === NETWORK).map(({ value }) => value),
    types: parts.filter(({ type }) => type !== NETWORK).map(({ type }) => type),
  };
}
