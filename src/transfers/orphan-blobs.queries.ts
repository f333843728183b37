import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';

const Name = z.object({ name: z.string() });

/** Of these names in the store, those that no row of any table gives to anything. Every table that names bytes must stand here. */
export const listUnnamed = (db: Db, names: readonly string[]) =>
  db.anyFirst(sql.type(Name)`
    select stored.name from unnest(${sql.array(names, 'text')}) as stored (name)
    where not exists (select from datasets d where d.blob = stored.name)
      and not exists (select from staged_blobs s where s.blob = stored.name)
      and not exists (select from transfers t where t.type = 'Export' and t.output_blob = stored.name)
      and not exists (select from transfers t where t.bad_records_blob = stored.name)
      -- of a run that was stopped between storing and committing, for however long
      and not exists (
        select from transfers t
        where t.status = 'InProgress' and (stored.name like '%/' || t.id || '-' || t.attempt or stored.name like '%/' || t.id || '-' || t.attempt || '-bad'))`);
