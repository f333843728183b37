import { z } from 'zod';
import { type Fragment, type Reads, sql, type Transaction } from '../../db.ts';

interface SealedColumn {
  name: string;
  table: Fragment;
  column: Fragment;
  /** Additional authenticated data (AAD) of the secret. */
  context: Fragment;
}

/** All columns with secrets that the platform's own key encrypts. Each begins with the id of its key. */
export const SEALED: readonly SealedColumn[] = [
  {
    name: 'webhooks',
    table: sql.fragment`webhooks`,
    column: sql.fragment`sealed_secret`,
    context: sql.fragment`'secret of webhook ' || id`,
  },
  {
    name: 'groupAuthenticators',
    table: sql.fragment`group_setup_codes`,
    column: sql.fragment`sealed`,
    context: sql.fragment`'setup code of group ' || group_id`,
  },
  {
    name: 'ownAuthenticators',
    table: sql.fragment`account_authenticators`,
    column: sql.fragment`sealed`,
    context: sql.fragment`type || ' of ' || user_id`,
  },
  {
    name: 'remoteAddresses',
    table: sql.fragment`remote_sources`,
    column: sql.fragment`sealed`,
    context: sql.fragment`'remote source ' || id`,
  },
];

const Sealed = z.object({ row: z.string(), sealed: z.instanceof(Buffer), context: z.string() });

/** Some secrets that another key than that with this prefix encrypted. */
export const listOutdated = (db: Reads, { table, column, context }: SealedColumn, prefix: Buffer, limit: number) =>
  db.any(sql.type(Sealed)`
    select ctid::text as row, ${column} as sealed, ${context} as context from ${table}
    where substring(${column} from 1 for ${prefix.length}) <> ${sql.binary(prefix)} limit ${limit}`);

/** Does nothing if the secret has been replaced meanwhile. */
export const replaceSealed = (
  tx: Transaction,
  { table, column }: SealedColumn,
  { row, sealed }: z.infer<typeof Sealed>,
  now: Buffer,
) =>
  tx.query(sql.unsafe`
    update ${table} set ${column} = ${sql.binary(now)} where ctid = ${row}::tid and ${column} = ${sql.binary(sealed)}`);

const ClearSecret = z.object({ id: z.string(), secret: z.instanceof(Buffer) });

/** Secrets of webhooks in clear, from older versions. */
export const listClearSecrets = (db: Reads) =>
  db.any(sql.type(ClearSecret)`select id, secret from webhooks where secret is not null`);

export const sealClearSecret = (tx: Transaction, id: string, sealed: Buffer) =>
  tx.query(sql.unsafe`
    update webhooks set sealed_secret = ${sql.binary(sealed)}, secret = null where id = ${id} and secret is not null`);

/** Groups that may have setup codes in clear, from older versions. */
export const listClearGroups = (db: Reads, key: string) =>
  db.anyFirst(sql.type(z.object({ id: z.string() }))`
    select g.id from user_groups g
    where jsonb_typeof(g.metadata -> ${key}::text) = 'array' and exists (
      select from jsonb_array_elements_text(g.metadata -> ${key}::text) entry
      where entry !~ '^\\s*CIDR\\s*:' and entry !~ ':\\*{16}(&|$)')`);
