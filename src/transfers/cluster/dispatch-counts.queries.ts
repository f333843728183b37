import { sql, type Transaction } from '../../db.ts';

/** Upper bounds of the histogram of handing over, in seconds. */
export const HANDOVER_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200];

/** A count of a dispatcher. */
export interface Counted {
  name: 'handover' | 'calls' | 'failures';
  labels: Readonly<Record<string, string>>;
  /** Upper bound of the bucket of a histogram; absent: none. */
  upper?: number | undefined;
  count: number;
  /** Of the values of a histogram, in seconds. */
  sum: number;
}

/** Adds counts to those of all dispatchers. */
export const addCounts = (tx: Transaction, counted: readonly Counted[]) =>
  tx.query(sql.unsafe`
    insert into kubernetes_metrics as m (name, labels, upper, count, sum)
    select name, labels, coalesce(upper, 'infinity'), count, sum
    from jsonb_to_recordset(${sql.jsonb(counted as never)}) as one (name text, labels jsonb, upper float8, count bigint, sum float8)
    -- in one order, so that two dispatchers never wait for each other
    order by name, labels, upper
    on conflict (name, labels, upper) do update set count = m.count + excluded.count, sum = m.sum + excluded.sum`);
