import { by, record } from '../audit.ts';
import type { Caller } from '../http/caller.ts';
import type { GroupParts } from './manage.ts';
import { getGroup } from './manage.ts';
import { checkMetadata } from './metadata.ts';
import { lockGroups, updateGroup } from './queries.ts';
import { parseSecondFactor } from './second-factor.ts';

/** Replaces the second-factor entries of a group. An empty list removes the second factor. */
export async function setSecondFactor(
  { db, secondFactorKey }: GroupParts,
  caller: Caller,
  id: string,
  entries: readonly string[],
): Promise<void> {
  checkMetadata({ [secondFactorKey]: entries }, secondFactorKey);
  const { networks, authenticators } = parseSecondFactor(entries);
  await db.transaction(async (tx) => {
    await lockGroups(tx, [id]);
    const { name, metadata } = await getGroup(tx, id);
    const { [secondFactorKey]: _before, ...others } = metadata;
    const changed = entries.length > 0 ? { [secondFactorKey]: entries } : {};
    await updateGroup(tx, { id, name, metadata: { ...others, ...changed } });
    await record(tx, {
      action: 'group.set-second-factor',
      subject: id,
      ...by(caller),
      // setup codes are secrets
      details: { networks: networks.map(({ text }) => text), authenticators: authenticators.map(({ type }) => type) },
    });
  });
}
