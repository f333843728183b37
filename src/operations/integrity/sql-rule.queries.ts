import { z } from 'zod';
import { type Fragment, sql, type Transaction } from '../../db.ts';
import type { Rule, Violation } from './rule.ts';

/** Maximum number of violations of a rule. */
export const MAX_VIOLATIONS = 1000;

const Row = z.object({ id: z.string(), message: z.string() });

/** One state of the data for a check, however long that takes. Must be the first statements of a transaction. */
async function beginCheck(tx: Transaction): Promise<void> {
  await tx.query(sql.unsafe`set transaction isolation level repeatable read, read only`);
  await tx.query(sql.unsafe`set local statement_timeout = 0`);
}

/** @param violations a query with the columns `id` and `message` */
export const sqlRule = (name: string, violations: Fragment, repair?: Rule['repair']): Rule => ({
  name,
  find: ({ db }) =>
    db.transaction(async (tx): Promise<readonly Violation[]> => {
      await beginCheck(tx);
      return tx.any(sql.type(Row)`
        select id::text as id, message from (${violations}) violation order by 1 limit ${MAX_VIOLATIONS}`);
    }),
  ...(repair ? { repair } : {}),
});

/**
 * Lets nobody else write the tables until the transaction ends, so that what is derived is true at the commit. Fails if
 * they are not free within seconds.
 */
export async function lockTables(tx: Transaction, tables: readonly string[]): Promise<void> {
  await tx.query(sql.unsafe`set local lock_timeout = '5s'`);
  await tx.query(sql.unsafe`set local statement_timeout = '10min'`);
  const names = sql.join(
    tables.map((table) => sql.identifier([table])),
    sql.fragment`, `,
  );
  await tx.query(sql.unsafe`lock table ${names} in share row exclusive mode`);
}

export const uuids = (ids: readonly string[]): Fragment => sql.fragment`${sql.array(ids, 'uuid')}`;
