import { audit, by, compareMembers } from '../audit.ts';
import type { Database, Reads, Transaction } from '../db.ts';
import { conflict, invalidMember, notFound } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { checkRowVersion } from '../http/rules/row-version.ts';
import type { Sealer } from '../platform/keys/sealing.ts';
import { isUuid } from '../platform/text/uuid.ts';
import { keepingAnAdministrator } from './administrators.ts';
import { checkMetadata } from './metadata.ts';
import {
  deleteGroup,
  findGroup,
  findUnknown,
  findUsers,
  type Group,
  insertGroup,
  insertGroupMembers,
  keepMembers,
  lockGroups,
  lockName,
  lockUsers,
  nameTaken,
  updateGroup,
} from './queries.ts';
import { findFactor } from './setup-codes.queries.ts';
import { keepHiddenCodes, revealEntries, storeSetupCodes } from './setup-codes.ts';

export interface GroupRequest {
  /** Chosen by the client. Default: the name. */
  id?: string | undefined;
  name?: string | undefined;
  /** Login ids or user ids. */
  users?: string[] | undefined;
  metadata?: Record<string, unknown> | undefined;
}

export interface GroupChange extends GroupRequest {
  /** Version that the caller read. */
  rowVersion?: string | undefined;
}

export interface GroupParts {
  db: Database;
  /** Metadata key of second-factor entries. */
  secondFactorKey: string;
  sealer: Sealer;
}

export async function getGroup(db: Reads, id: string): Promise<Group> {
  const group = await findGroup(db, id);
  if (!group) throw notFound('Group', id);
  return group;
}

/**
 * A group with its setup codes, which are secrets; audited.
 */
export const revealGroup = (parts: GroupParts, caller: Caller, id: string): Promise<Group> =>
  parts.db.transaction(async (tx) => {
    const group = await getGroup(tx, id);
    const metadata = await revealMetadata(tx, parts, group);
    await audit(tx, { action: 'group.show-secrets', subject: group.id, ...by(caller) });
    return { ...group, metadata };
  });

/** Metadata of a group with its setup codes, which are secrets. */
export async function revealMetadata(
  db: Reads,
  { secondFactorKey, sealer }: Pick<GroupParts, 'secondFactorKey' | 'sealer'>,
  { id, metadata }: Group,
): Promise<Group['metadata']> {
  if (metadata[secondFactorKey] === undefined) return metadata;
  const entries = await revealEntries(db, sealer, await findFactor(db, id, secondFactorKey));
  return { ...metadata, [secondFactorKey]: entries };
}

export async function createGroup(parts: GroupParts, caller: Caller, request: GroupRequest) {
  const name = request.name ?? request.id;
  if (name === undefined) throw invalidMember('name', 'The group has no name. Send name or id.');
  const { id = name, users = [], metadata = {} } = request;
  checkId(id);
  checkMetadata(metadata, parts.secondFactorKey);
  return parts.db.transaction(async (tx) => {
    await refuseLoginId(tx, name);
    if (!(await insertGroup(tx, { id, name, metadata: {} })))
      throw conflict(`A group with the id '${id}' or the name '${name}' already exists. Choose others.`, {
        code: 'GroupExists',
      });
    await setMetadata(tx, parts, { id, name }, metadata);
    await insertGroupMembers(tx, [id], await resolveUserIds(tx, users));
    const created = await getGroup(tx, id);
    const details = { name, users: created.users, metadataKeys: Object.keys(metadata) };
    await audit(tx, { action: 'group.create', subject: id, ...by(caller), details });
    return created;
  });
}

/** Updates a group. Absent members keep their values, so that a request without `users` does not empty the group. */
export async function changeGroup(parts: GroupParts, caller: Caller, request: GroupChange) {
  const id = request.id ?? request.name;
  if (id === undefined) throw invalidMember('id', 'The request names no group. Send the id of the group.');
  return parts.db.transaction(async (tx) => {
    const before = await lockGroup(tx, id);
    checkRowVersion('Group', before, request.rowVersion);
    const { name = before.name } = request;
    if (name !== before.name) await checkNewName(tx, before, name);
    let metadataKeys: string[] = [];
    if (request.metadata) metadataKeys = await changeMetadata(tx, parts, { ...before, name }, request.metadata);
    else await updateGroup(tx, { id, name, metadata: before.metadata });
    if (request.users) await setMembers(tx, before, request.users);
    const after = await getGroup(tx, id);
    const details = changes(before, after, metadataKeys);
    await audit(tx, { action: 'group.change', subject: id, ...by(caller), details });
    return after;
  });
}

export const removeGroup = (db: Database, caller: Caller, id: string) =>
  db.transaction(async (tx) => {
    const group = await lockGroup(tx, id);
    const { builtIn, name, users } = group;
    if (builtIn) throw conflict(`The group '${id}' is built in and cannot be deleted.`, { code: 'BuiltInGroup' });
    await deleteGroup(tx, group);
    await audit(tx, { action: 'group.delete', subject: id, ...by(caller), details: { name, users } });
  });

/** Path segments of routes at the position of a group id. */
const RESERVED = new Set(['count', 'ids', 'user']);

function checkId(id: string) {
  if (RESERVED.has(id.toLowerCase())) throw invalidMember('id', `The id '${id}' is reserved. Choose another one.`);
  if (isUuid(id)) throw invalidMember('id', `The id '${id}' is a UUID, like user ids. Choose another one.`);
}

async function lockGroup(tx: Transaction, id: string): Promise<Group> {
  await lockGroups(tx, [id]);
  return getGroup(tx, id);
}

/** Built-in groups keep their names, because policies refer to them. */
async function checkNewName(tx: Transaction, { id, builtIn }: Group, name: string) {
  if (builtIn) throw conflict(`The group '${id}' is built in and cannot be renamed.`, { code: 'BuiltInGroup' });
  await refuseLoginId(tx, name);
  if (await nameTaken(tx, name, id))
    throw conflict(`A group named '${name}' already exists. Choose another name.`, { code: 'GroupExists' });
}

/** Permissions name groups and accounts in one list, so a group must not have the name of an account. */
async function refuseLoginId(tx: Transaction, name: string) {
  if (isUuid(name)) throw invalidMember('name', `The name '${name}' is a UUID, like user ids. Choose another one.`);
  await lockName(tx, name);
  if ((await findUsers(tx, [name])).length > 0)
    throw conflict(`'${name}' is the login id of an account. Choose another name.`, { code: 'NameTaken' });
}

async function setMembers(tx: Transaction, { id }: Group, users: readonly string[]) {
  const set = async () => {
    const userIds = await resolveUserIds(tx, users);
    await keepMembers(tx, id, userIds);
    await insertGroupMembers(tx, [id], userIds);
  };
  if (id !== 'Administrators') return set();
  return keepingAnAdministrator(tx, 'anybody', set);
}

/** User ids of `users`, which are login ids or user ids. Throws `invalid` for unknown ones. */
async function resolveUserIds(tx: Transaction, users: readonly string[]): Promise<string[]> {
  const userIds = (await lockUsers(tx, users)).map(({ userId }) => userId);
  const at = await findUnknown(tx, users, userIds);
  if (at !== null) throw invalidMember(`users[${at}]`, `Account '${users[at]}' does not exist.`);
  return userIds;
}

/**
 * Replaces the metadata of a group. Entries with a hidden setup code keep the code. Returns the changed keys, for the
 * audit trail; values may be secrets.
 */
export async function changeMetadata(
  tx: Transaction,
  parts: GroupParts,
  group: Group,
  requested: Record<string, unknown>,
): Promise<string[]> {
  const key = parts.secondFactorKey;
  const before = await revealMetadata(tx, parts, group);
  const after = Object.hasOwn(requested, key)
    ? { ...requested, [key]: keepHiddenCodes(before[key], requested[key]) }
    : requested;
  checkMetadata(after, key);
  await setMetadata(tx, parts, group, after);
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].filter((one) => JSON.stringify(before[one]) !== JSON.stringify(after[one]));
}

export async function setMetadata(
  tx: Transaction,
  { sealer, secondFactorKey: key }: GroupParts,
  { id, name }: Pick<Group, 'id' | 'name'>,
  metadata: Record<string, unknown>,
) {
  const entries = await storeSetupCodes(tx, sealer, id, metadata[key]);
  await updateGroup(tx, {
    id,
    name,
    metadata: Object.hasOwn(metadata, key) ? { ...metadata, [key]: entries } : metadata,
  });
}

/** Changes for the audit trail. Of metadata only the keys, because values may be secrets. */
function changes(before: Group, after: Group, metadataKeys: readonly string[]) {
  const { changed, ...values } = compareMembers(
    { name: before.name, users: before.users },
    { name: after.name, users: after.users },
    ['users'],
  );
  return {
    changed: metadataKeys.length > 0 ? [...changed, 'metadata'] : changed,
    ...values,
    added: after.users.filter((user) => !before.users.includes(user)),
    removed: before.users.filter((user) => !after.users.includes(user)),
    metadataKeys,
  };
}
