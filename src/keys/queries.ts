import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../db.ts';

/** Roles of a key in every project of its tenant. */
export const KEY_ROLES = ['Owner', 'Contributor', 'Reader'] as const;
export type KeyRole = (typeof KEY_ROLES)[number];

const KeyRow = z.object({
  id: z.string(),
  name: z.string(),
  role: z.enum(KEY_ROLES),
  tenantId: z.string(),
  /** Expiry as the client sent it. */
  expiresAt: z.string().optional(),
  allowedNetworks: z.array(z.string()).optional(),
  createdAt: z.string(),
  createdBy: z.string(),
  lastUsedAt: z.string().optional(),
  lastUsedFrom: z.string().optional(),
});
/** A key without its secret. */
export type KeyRow = z.infer<typeof KeyRow>;

const key = sql.fragment`
  id, name, role, tenant_id, expires_at_given as expires_at, nullif(allowed_networks, '{}') as allowed_networks, created_at, created_by,
  last_used_at, last_used_from`;

export interface NewKeyRow {
  tenantId: string;
  name: string;
  role: KeyRole;
  hash: Buffer;
  expiresAt?: { given: string; time: string } | undefined;
  allowedNetworks: readonly string[];
  createdBy: string;
}

export const insertKey = (tx: Transaction, row: NewKeyRow) =>
  tx.one(sql.write(KeyRow)`
    insert into api_keys (tenant_id, name, role, hash, expires_at, expires_at_given, allowed_networks, created_by)
    values (${row.tenantId}, ${row.name}, ${row.role}, ${sql.binary(row.hash)}, ${row.expiresAt?.time ?? null}::timestamptz,
      ${row.expiresAt?.given ?? null}, ${sql.array([...row.allowedNetworks], 'text')}, ${row.createdBy})
    returning ${key}`);

export const listKeys = (db: Reads, tenantId: string, { offset = 0, limit }: { offset?: number; limit?: number }) =>
  db.any(sql.type(KeyRow)`
    select ${key} from api_keys where tenant_id = ${tenantId} order by name collate "C", id
    offset ${offset} limit ${limit ?? null}::bigint`);

export const findKey = (db: Reads, id: string) =>
  db.maybeOne(sql.type(KeyRow)`select ${key} from api_keys where id = ${id}`);

/** `findKey` unless the key has expired. */
export const findValidKey = (db: Reads, id: string) =>
  db.maybeOne(
    sql.type(KeyRow)`select ${key} from api_keys where id = ${id} and (expires_at is null or expires_at > now())`,
  );

/** Deletes a key with its memberships in projects. Returns it; null if a concurrent call has deleted it. */
export const deleteKey = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.write(KeyRow)`delete from api_keys where id = ${id} returning ${key}`);

const Holder = z.object({
  id: z.string(),
  tenantId: z.string(),
  role: z.enum(KEY_ROLES),
  allowedNetworks: z.array(z.string()),
  /** Milliseconds since 1970. */
  expires: z.number().optional(),
  usedLately: z.boolean(),
});
/** The members of a key that authenticate and authorize a request. */
export type Holder = z.infer<typeof Holder>;

/** @param hash SHA-256 of the key */
export const findHolder = (db: Reads, hash: Buffer) =>
  db.maybeOne(sql.type(Holder)`
    select id, tenant_id, role, allowed_networks, (extract(epoch from expires_at) * 1000)::float8 as expires,
      coalesce(last_used_at > now() - interval '1 minute', false) as used_lately
    from api_keys where hash = ${sql.binary(hash)}`);

/** Records time and address of a use, at most once a minute over all processes. */
export const recordUse = (tx: Transaction, id: string, address: string) =>
  tx.query(sql.unsafe`
    update api_keys set last_used_at = now(), last_used_from = ${address}
    where id = ${id} and (last_used_at is null or last_used_at <= now() - interval '1 minute')`);
