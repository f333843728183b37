import { z } from 'zod';
import { type Reads, sql } from '../db.ts';
import { factorColumns, GroupFactor } from '../groups/setup-codes.queries.ts';

const Member = z.object({
  userId: z.string(),
  id: z.string(),
  /** Requirements of the account's other groups. */
  others: z.array(GroupFactor),
  /** Types of its own authenticators. */
  own: z.array(z.string()),
  /** Fingerprints of authenticators that codes were accepted from, in hexadecimal digits. */
  proved: z.array(z.string()),
});

/** Members of a group with the data that decide about their second factor, except this group's entries. */
export const listFactorsOfMembers = (db: Reads, groupId: string, key: string) =>
  db.any(sql.type(Member)`
    select a.user_id, a.id,
      array(select to_jsonb(other) from group_members o join user_groups on user_groups.id = o.group_id
        cross join lateral (select ${factorColumns(key)} from (select user_groups.*) g) other
        where o.user_id = a.user_id and o.group_id <> ${groupId}) as others,
      array(select type from account_authenticators x where x.user_id = a.user_id and x.sealed is not null) as own,
      array(select encode(fingerprint, 'hex') from account_authenticators x
        where x.user_id = a.user_id and x.proved_at is not null) as proved
    from group_members m join accounts a on a.user_id = m.user_id where m.group_id = ${groupId}
    order by a.id collate "C"`);

const Login = z.object({
  userId: z.string(),
  address: z.string(),
  times: z.number(),
  lastAt: z.string(),
});
export type LoginRow = z.infer<typeof Login>;

/** Addresses from which members of a group have logged in, most frequent first. */
export const listLoginsOfMembers = (db: Reads, groupId: string, days: number) =>
  db.any(sql.type(Login)`
    select l.user_id, l.address, sum(l.times)::bigint as times, max(l.last_at) as last_at
    from logins l join group_members m on m.user_id = l.user_id
    where m.group_id = ${groupId} and l.day >= current_date - ${days}::integer
    group by l.user_id, l.address order by times desc, l.address`);
