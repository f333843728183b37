import { z } from 'zod';
import { type Reads, sql } from '../../db.ts';

const Totals = z.object({ accounts: z.number(), tenants: z.number() });

export const countPeople = (db: Reads) =>
  db.one(sql.type(Totals)`
    select (select count(*) from accounts) as accounts, (select count(*) from tenants) as tenants`);

const Failures = z.object({ failures: z.number(), kinds: z.number() });

/** Transfers that failed in the last day and were not retried, and the number of their kinds. */
export const countFailures = (db: Reads) =>
  db.one(sql.type(Failures)`
    select count(*) as failures, count(distinct fingerprint) as kinds from transfers t
    where fingerprint is not null and finished_at > now() - interval '1 day'
      and not exists (select from transfers r where r.retry_of = t.id)`);
