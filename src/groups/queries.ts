import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../db.ts';
import { type FreeForm, selectPart, shown, sizeOf, textOf } from '../http/answers/long-list.queries.ts';
import { listed, type Part } from '../http/answers/long-list.ts';
import { isUuid } from '../platform/text/uuid.ts';

/** Adds an account to groups by name. Skips unknown names; returns the names of the joined groups. */
export const joinGroups = (tx: Transaction, userId: string, names: readonly string[]) =>
  tx.anyFirst(sql.write(z.object({ name: z.string() }))`
    with joined as (
      insert into group_members (group_id, user_id)
      select id, ${userId} from user_groups where name = any(${sql.array([...names], 'text')})
      on conflict do nothing returning group_id)
    select g.name from joined j join user_groups g on g.id = j.group_id`);

/** Whether the platform has an administrator. */
export const hasAdministrator = (db: Reads) =>
  db.exists(sql.unsafe`select from group_members where group_id = 'Administrators'`);

/** Serializes changes of administrators. Lock order: before the rows of accounts. */
export const lockAdministrators = (tx: Transaction) =>
  tx.query(sql.unsafe`select from user_groups where id = 'Administrators' for no key update`);

export const isAnyAdministrator = (tx: Transaction, userIds: readonly string[]) =>
  tx.exists(sql.unsafe`
    select from group_members where group_id = 'Administrators' and user_id = any(${sql.array([...userIds], 'uuid')})`);

const Group = z.object({
  id: z.string(),
  name: z.string(),
  users: z.array(z.string()),
  metadata: z.record(z.string(), z.unknown()),
  builtIn: z.boolean(),
  rowVersion: z.string(),
});
/** A group; `users` are login ids. Its version tells of its members, too: they may go without a write to the group. */
export type Group = z.infer<typeof Group>;

const groupAs = (
  free: FreeForm,
) => sql.fragment`g.id, g.name, ${free(sql.fragment`g.metadata`)} as metadata, g.built_in,
  array(select a.id from group_members m join accounts a using (user_id) where m.group_id = g.id order by a.id collate "C") as users,
  concat_ws('-', g.row_version, (select md5(string_agg(m.user_id::text, '' order by m.user_id)) from group_members m where m.group_id = g.id)) as row_version`;
const group = groupAs(shown);

const groups = {
  table: sql.fragment`user_groups`,
  name: sql.fragment`g`,
  id: sql.fragment`g.id`,
  idType: 'text',
} as const;

/** A group in a list. Large metadata is read separately. */
export const ListedGroup = Group.extend({ metadata: z.any() });

/** Metadata of a group as text. */
export const findMetadata = (db: Reads, id: string) => db.anyFirst(textOf(groups, id, sql.fragment`g.metadata`));

/**
 * One part of the list of groups, ordered by id. Its size is estimated from the number of members, without reading
 * them.
 */
export const listGroups = (db: Reads, part: Part) =>
  db.any(
    sql.type(listed(ListedGroup))`${selectPart(part, {
      ...groups,
      key: { column: sql.fragment`g.id`, type: 'text' },
      order: 'Asc',
      from: sql.fragment`from user_groups g where true`,
      columns: groupAs,
      size: sql.fragment`${sizeOf([sql.fragment`g.metadata`])} + 40 * (select count(*) from group_members m where m.group_id = g.id)`,
    })}`,
  );

export const countGroups = (db: Reads) =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`select count(*) from user_groups`);

/** Ids of all groups, or of the groups of a user. */
export const listGroupIds = (db: Reads, userId?: string) =>
  db.anyFirst(sql.type(z.object({ id: z.string() }))`
    select g.id from user_groups g
    where ${userId === undefined} or exists (select from group_members m where m.group_id = g.id and m.user_id = ${userId ?? null}::uuid)
    order by g.id collate "C"`);

export const findGroup = (db: Reads, id: string) =>
  db.maybeOne(sql.type(Group)`select ${group} from user_groups g where g.id = ${id}`);

/**
 * Locks the existing groups among these, and their members, until `tx` ends. Same lock order as `lockAdministrators`.
 */
export const lockGroups = (tx: Transaction, ids: readonly string[]) =>
  tx.anyFirst(sql.write(z.object({ id: z.string() }))`
    select id from user_groups where id = any(${sql.array([...ids], 'text')}) 
    order by id <> 'Administrators', id collate "C" for no key update`);

/** Locks a name until `tx` ends against new accounts and groups. Inserting an account takes the same lock. */
export const lockName = (tx: Transaction, name: string) => tx.query(sql.unsafe`select lock_name(${name})`);

/** Returns false if the id or the name is taken, in any letter case. */
export const insertGroup = async (tx: Transaction, { id, name, metadata }: Pick<Group, 'id' | 'name' | 'metadata'>) => {
  const { rowCount } = await tx.query(sql.unsafe`
    insert into user_groups (id, name, metadata) values (${id}, ${name}, ${sql.jsonb(metadata as never)}) on conflict do nothing`);
  return rowCount === 1;
};

/** Whether another group has this name, in any letter case. */
export const nameTaken = (tx: Transaction, name: string, id: string) =>
  tx.exists(sql.unsafe`select from user_groups where lower(name) = lower(${name}) and id <> ${id}`);

export const updateGroup = (tx: Transaction, { id, name, metadata }: Pick<Group, 'id' | 'name' | 'metadata'>) =>
  tx.query(
    sql.unsafe`update user_groups set name = ${name}, metadata = ${sql.jsonb(metadata as never)} where id = ${id}`,
  );

/**
 * Locks projects and datasets whose permissions name it first. Fires `user_groups_permissions_ended`, which ends what
 * permissions allow the group.
 */
export async function deleteGroup(tx: Transaction, { id, name }: Pick<Group, 'id' | 'name'>) {
  await tx.query(sql.unsafe`select lock_entities_permitting(array[${name}])`);
  // before the group, whose name tells what its members lose
  await tx.query(sql.unsafe`delete from group_members where group_id = ${id}`);
  await tx.query(sql.unsafe`delete from user_groups where id = ${id}`);
}

export const insertGroupMembers = (tx: Transaction, groupIds: readonly string[], userIds: readonly string[]) =>
  tx.query(sql.unsafe`
    insert into group_members (group_id, user_id)
    select g, u from unnest(${sql.array([...groupIds], 'text')}) g, unnest(${sql.array([...userIds], 'uuid')}) u
    on conflict do nothing`);

/** Removes a user from these groups. */
export const deleteMemberships = (tx: Transaction, userId: string, groupIds: readonly string[]) =>
  tx.query(sql.unsafe`
    delete from group_members where user_id = ${userId} and group_id = any(${sql.array([...groupIds], 'text')})`);

/** Removes all members of a group except these. */
export const keepMembers = (tx: Transaction, groupId: string, userIds: readonly string[]) =>
  tx.query(sql.unsafe`
    delete from group_members where group_id = ${groupId} and user_id <> all(${sql.array([...userIds], 'uuid')})`);

const User = z.object({ userId: z.string(), id: z.string() });

/** A UUID names an account by its user id alone. */
const usersNamed = (names: readonly string[]) => {
  const [userIds, loginIds] = [names.filter(isUuid), names.filter((name) => !isUuid(name))];
  return sql.fragment`
  select user_id, id from accounts
  where folded_id = any(array(select fold_name(n) from unnest(${sql.array(loginIds, 'text')}) n))
    or user_id = any(${sql.array(userIds, 'uuid')})`;
};

/** Index of the first name in `names` that matches none of these users, or null. */
export const findUnknown = (tx: Transaction, names: readonly string[], userIds: readonly string[]) =>
  tx.maybeOneFirst(sql.type(z.object({ at: z.number() }))`
    select n - 1 as at from unnest(${sql.array([...names], 'text')}) with ordinality named (name, n)
    where fold_name(name) not in (
      select unnest(array[folded_id, user_id::text]) from accounts where user_id = any(${sql.array([...userIds], 'uuid')}))
    order by n limit 1`);

/** Accounts by user id, or by login id in any letter case. */
export const findUsers = (db: Reads, names: readonly string[]) => db.any(sql.type(User)`${usersNamed(names)}`);

/** `findUsers` with a lock against deletion until `tx` ends. Lock order: after groups. */
export const lockUsers = (tx: Transaction, names: readonly string[]) =>
  tx.any(sql.write(User)`${usersNamed(names)} order by user_id for key share`);
