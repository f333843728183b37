import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../../../db.ts';

const PreviewStore = z.object({ store: z.string(), storeSize: z.number() });

/** The next stores and overviews of previews, by name. */
export const listPreviewStores = (db: Reads, after: string, limit: number) =>
  db.any(sql.type(PreviewStore)`
    select store, max(store_size) as store_size from (
      select store, store_size from previews where store is not null
      union all select overview, overview_size from previews where overview is not null) stores
    where store > ${after} group by store order by store limit ${limit}`);

/** Deletes previews with these stores or overviews. Their next request makes them again. */
export const forgetStores = (tx: Transaction, stores: readonly string[]) =>
  tx.query(
    sql.unsafe`delete from previews where store = any(${sql.array(stores, 'text')}) or overview = any(${sql.array(stores, 'text')})`,
  );
