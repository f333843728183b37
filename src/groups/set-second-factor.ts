import { by, record } from '../audit.ts';
import type { Caller } from '../http/caller.ts';
import type { GroupParts } from './manage.ts';
import { changeMetadata, getGroup } from './manage.ts';
import { lockGroups } from './queries.ts';
import { NETWORK, splitEntry } from './second-factor.ts';

/** Replaces the second-factor entries of a group. An empty list removes the second factor. */
export async function setSecondFactor(
  parts: GroupParts,
  caller: Caller,
  id: string,
  entries: readonly string[],
): Promise<void> {
  const key = parts.secondFactorKey;
  await parts.db.transaction(async (tx) => {
    await lockGroups(tx, [id]);
    const group = await getGroup(tx, id);
    const { [key]: _before, ...others } = group.metadata;
    await changeMetadata(tx, parts, group, entries.length > 0 ? { ...others, [key]: entries } : others);
    const { networks, types } = shapeOf(entries);
    await record(tx, {
      action: 'group.set-second-factor',
      subject: id,
      ...by(caller),
      // setup codes are secrets
      details: { networks, authenticators: types },
    });
  });
}

/** Networks and types of authenticators, also of those whose setup code is hidden. */
function shapeOf(entries: readonly string[]) {
  const parts = entries.map(splitEntry);
  return {
    networks: parts.filter(({ type }) => type === NETWORK).map(({ value }) => value),
    types: parts.filter(({ type }) => type !== NETWORK).map(({ type }) => type),
  };
}
