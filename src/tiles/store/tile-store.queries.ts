import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../../db.ts';
import type { SessionLocks } from '../../platform/postgres/session-locks.ts';
import { bound, type Parameters, statement } from '../../platform/sql/statements.ts';

/** Names a tile of one content of a dataset. */
export interface TileKey {
  readonly datasetId: string;
  /** The content: each write of a dataset makes a new blob. */
  readonly blob: string;
  /** The scheme of a raster tile; the layer of a vector tile, with its attributes if it has not all. */
  readonly schemeId: string;
  readonly step: number;
  readonly layer: number;
  readonly level: number;
  readonly column: number;
  readonly row: number;
}

/** Channel of Postgres on which processes announce the lock numbers of tiles that they no longer draw. */
export const DRAWN = 'drawn_tiles';

/** Bytes of a tile besides its content: its row and the entries of indexes. */
export const TILE_BYTES = 300;
/** Rows that one statement deletes. */
const AT_ONCE = 500;

/** Members of a key with their types, in the order of the parameters of the functions in `sql/functions/tiles.sql`. */
const KEY = {
  datasetId: 'uuid',
  blob: 'text',
  schemeId: 'text',
  step: 'int',
  layer: 'int',
  level: 'int',
  column: 'int',
  row: 'int',
} as const;
const KEY_NAMES = Object.keys(KEY) as (keyof TileKey)[];

const named = ({ datasetId, blob, schemeId, step, layer, level, column, row }: Parameters<typeof KEY>) => sql.fragment`
  dataset_id = ${datasetId} and blob = ${blob} and scheme_id = ${schemeId} and step = ${step} and layer = ${layer}
  and level = ${level} and tile_column = ${column} and tile_row = ${row}`;

const Stored = z.object({ bytes: z.instanceof(Buffer), isOld: z.boolean() });

const storedTile = statement(
  'stored tile',
  Stored,
  KEY,
  (key) => sql.fragment`
    select c.bytes, t.used_at < now() - interval '10 minutes' as is_old
    from drawn_tiles t join drawn_tile_contents c on c.hash = t.content where ${named(key)}`,
);

/** `isOld`: its last use was noted more than ten minutes ago. */
export const findTile = (db: Reads, key: TileKey) => db.maybeOne(storedTile(key));

/** A stored tile, or whether this process holds its lock from now on. */
export interface LockedTile {
  readonly locked: boolean;
  readonly bytes: Buffer | null;
  readonly isOld: boolean;
}

/** Finds a tile, or takes its lock unless another process holds it. */
export async function findOrLockTile(locks: SessionLocks, key: TileKey, lock: string): Promise<LockedTile> {
  const [found] = await locks.run<LockedTile>({
    name: 'find or lock tile',
    text: 'select locked, bytes, is_old as "isOld" from find_or_lock_tile($1, $2, $3, $4, $5, $6, $7, $8, $9)',
    values: [lock, ...KEY_NAMES.map((name) => key[name])],
  });
  return found!;
}

/** Stores a tile, counts its bytes, and notifies the processes that wait for its lock. */
export const storeTile = (
  tx: Transaction,
  key: TileKey,
  { lock, hash, bytes }: { lock: string; hash: Buffer; bytes: Buffer },
) =>
  tx.query(sql.unsafe`
    select store_tile(${lock}::bigint, ${DRAWN}, ${TILE_BYTES}::int, ${sql.join(Object.values(bound(KEY, key)), sql.fragment`, `)},
      ${sql.binary(hash)}, ${sql.binary(bytes)})`);

export const noteUse = (tx: Transaction, key: TileKey) =>
  tx.query(sql.unsafe`update drawn_tiles set used_at = now() where ${named(bound(KEY, key))}`);

/**
 * Deletes some tiles of former contents of the dataset. Returns their number. Fires `note_deleted`, which fills
 * `deleted_drawn_tiles`.
 */
export async function deleteFormerTiles(tx: Transaction, datasetId: string, blob: string): Promise<number> {
  const { rowCount } = await tx.query(sql.unsafe`
    delete from drawn_tiles where ctid = any(array(
      (select ctid from drawn_tiles where dataset_id = ${datasetId}::uuid and blob < ${blob} limit ${AT_ONCE})
      union all
      (select ctid from drawn_tiles where dataset_id = ${datasetId}::uuid and blob > ${blob} limit ${AT_ONCE})))`);
  return rowCount;
}

/** Bytes of all stored tiles, and of contents that no tile has any more but that still take space. */
export const storedBytes = (db: Reads) =>
  db.oneFirst(
    sql.type(z.object({ bytes: z.coerce.number() }))`select coalesce(sum(bytes), 0) as bytes from drawn_tile_bytes`,
  );

/** Locks the contents of tiles against other writers until the transaction ends. */
export const lockContents = (tx: Transaction) =>
  tx.query(sql.unsafe`select pg_advisory_xact_lock(hashtextextended('drawn tile contents', 0))`);

/**
 * Deletes some of the least recently used tiles, of about `bytes`. Fires `note_deleted`, which fills
 * `deleted_drawn_tiles`.
 */
export const deleteOldestTiles = (tx: Transaction, bytes: number) =>
  tx.query(sql.unsafe`
    delete from drawn_tiles where ctid = any(array(
      select tile from (
        select t.ctid as tile, sum(c.size + ${TILE_BYTES}) over (order by t.used_at, t.ctid) - c.size - ${TILE_BYTES} as before
        from (select ctid, * from drawn_tiles order by used_at limit ${AT_ONCE}) t
        join drawn_tile_contents c on c.hash = t.content) oldest
      where before < ${bytes}))`);

/** Deletes the contents of some deleted tiles, unless other tiles have them. Returns the number of deleted tiles. */
export async function deleteUnusedContents(tx: Transaction): Promise<number> {
  const Deleted = z.object({ tiles: z.number(), bytes: z.coerce.number() });
  const { tiles, bytes } = await tx.one(sql.write(Deleted)`
    with gone as (
      delete from deleted_drawn_tiles where ctid = any(array(select ctid from deleted_drawn_tiles limit ${2 * AT_ONCE}))
      returning content),
    unused as (
      delete from drawn_tile_contents c using (select distinct content from gone) g
      where c.hash = g.content and not exists (select from drawn_tiles t where t.content = c.hash)
      returning size)
    select (select count(*) from gone)::int as tiles, (select coalesce(sum(size), 0) from unused) as bytes`);
  await tx.query(sql.unsafe`select count_drawn_bytes(0, ${-(bytes + TILE_BYTES * tiles)}::bigint)`);
  return tiles;
}

const LevelCount = z.object({
  schemeId: z.string(),
  level: z.number(),
  tiles: z.number(),
  bytes: z.coerce.number(),
  drawnAt: z.string(),
});

/** Stored tiles of a content by scheme and level. */
export const countTiles = (db: Reads, datasetId: string, blob: string) =>
  db.any(sql.type(LevelCount)`
    select t.scheme_id, t.level, count(*)::int as tiles, sum(c.size)::bigint as bytes, max(t.drawn_at) as drawn_at
    from drawn_tiles t join drawn_tile_contents c on c.hash = t.content
    where t.dataset_id = ${datasetId}::uuid and t.blob = ${blob} group by 1, 2 order by 1, 2`);

const Sample = z.object({ level: z.number(), column: z.number(), row: z.number(), bytes: z.instanceof(Buffer) });

/** Stored tiles of a scheme, chosen at random. */
export const sampleTiles = (
  db: Reads,
  { datasetId, blob, schemeId }: Pick<TileKey, 'datasetId' | 'blob' | 'schemeId'>,
  count: number,
) =>
  db.any(sql.type(Sample)`
    select t.level, t.tile_column as column, t.tile_row as row, c.bytes
    from drawn_tiles t join drawn_tile_contents c on c.hash = t.content
    where t.dataset_id = ${datasetId}::uuid and t.blob = ${blob} and t.scheme_id = ${schemeId}
    order by random() limit ${count}`);
