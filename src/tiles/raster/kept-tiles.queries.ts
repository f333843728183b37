import { z } from 'zod';
import { type Db, sql } from '../../db.ts';
import type { SessionLocks } from '../../platform/postgres/session-locks.ts';
import { statement } from '../../platform/sql/statements.ts';

/** A tile that is drawn on request. */
export interface TileKey {
  readonly datasetId: string;
  readonly blob: string;
  readonly schemeId: string;
  readonly step: number;
  readonly layer: number;
  readonly level: number;
  readonly column: number;
  readonly row: number;
}

/** On this channel of Postgres, numbers of tiles that are no longer drawn. */
export const DRAWN = 'kept_tile_drawn';

/** Bytes of a tile besides its content: its row and the entries of indexes. */
export const TILE_BYTES = 300;
/** Rows that one statement deletes. */
const AT_ONCE = 500;

const named = ({ datasetId, blob, schemeId, step, layer, level, column, row }: TileKey) => sql.fragment`
  dataset_id = ${datasetId}::uuid and blob = ${blob} and scheme_id = ${schemeId} and step = ${step} and layer = ${layer}
  and level = ${level} and tile_column = ${column} and tile_row = ${row}`;

const Kept = z.object({ bytes: z.instanceof(Buffer), isOld: z.boolean() });

const keptTile = statement(
  'kept tile',
  Kept,
  {
    datasetId: 'uuid',
    blob: 'text',
    schemeId: 'text',
    step: 'int',
    layer: 'int',
    level: 'int',
    column: 'int',
    row: 'int',
  },
  ({ datasetId, blob, schemeId, step, layer, level, column, row }) => sql.fragment`
    select c.bytes, t.used_at < now() - interval '10 minutes' as is_old
    from kept_tiles t join kept_tile_contents c on c.hash = t.content
    where dataset_id = ${datasetId} and blob = ${blob} and scheme_id = ${schemeId} and step = ${step} and layer = ${layer}
      and level = ${level} and tile_column = ${column} and tile_row = ${row}`,
);

/** `isOld`: its use was not noted for ten minutes. */
export const findKeptTile = (db: Db, { datasetId, blob, schemeId, step, layer, level, column, row }: TileKey) =>
  db.maybeOne(keptTile({ datasetId, blob, schemeId, step, layer, level, column, row }));

const valuesOf = ({ datasetId, blob, schemeId, step, layer, level, column, row }: TileKey): unknown[] => [
  datasetId,
  blob,
  schemeId,
  step,
  layer,
  level,
  column,
  row,
];

/** A tile that is there, or whether its lock is held from now on. */
export interface LockedTile {
  readonly locked: boolean;
  readonly bytes: Buffer | null;
  readonly isOld: boolean;
}

/** Looks for a tile, and takes its lock where it is not there and nobody else has it. @param number of the lock */
export async function lockKeptTile(locks: SessionLocks, key: TileKey, number: string): Promise<LockedTile> {
  const [found] = await locks.run<LockedTile>({
    name: 'lock kept tile',
    text: 'select locked, bytes, is_old as "isOld" from lock_kept_tile($1, $2, $3, $4, $5, $6, $7, $8, $9)',
    values: [number, ...valuesOf(key)],
  });
  return found!;
}

/** Keeps a tile, and tells those who wait for it. @param number of the lock of the tile */
export async function keepTile(
  locks: SessionLocks,
  key: TileKey,
  { hash, bytes, number }: { hash: Buffer; bytes: Buffer; number: string },
): Promise<void> {
  await locks.run({
    name: 'keep tile',
    text: 'select keep_tile($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)',
    values: [number, DRAWN, TILE_BYTES, ...valuesOf(key), hash, bytes],
  });
}

export const noteUse = (db: Db, key: TileKey) =>
  db.query(sql.unsafe`update kept_tiles set used_at = now() where ${named(key)}`);

/** Deletes some tiles of former contents of the dataset. Returns their number. */
export async function deleteFormerTiles(db: Db, datasetId: string, blob: string): Promise<number> {
  const { rowCount } = await db.query(sql.unsafe`
    delete from kept_tiles where ctid = any(array(
      (select ctid from kept_tiles where dataset_id = ${datasetId}::uuid and blob < ${blob} limit ${AT_ONCE})
      union all
      (select ctid from kept_tiles where dataset_id = ${datasetId}::uuid and blob > ${blob} limit ${AT_ONCE})))`);
  return rowCount;
}

/** Bytes of all kept tiles, also of contents whose last tile was deleted and that are still there. */
export const keptBytes = (db: Db) =>
  db.oneFirst(
    sql.type(z.object({ bytes: z.coerce.number() }))`select coalesce(sum(bytes), 0) as bytes from kept_tile_bytes`,
  );

/** Locks, until the transaction ends, all that would add contents or delete them. */
export const lockContents = (tx: Db) =>
  tx.query(sql.unsafe`select pg_advisory_xact_lock(hashtextextended('kept tile contents', 0))`);

/** Deletes some of the least recently used tiles, of about so many bytes. */
export const deleteOldestTiles = (tx: Db, bytes: number) =>
  tx.query(sql.unsafe`
    delete from kept_tiles where ctid = any(array(
      select tile from (
        select t.ctid as tile, sum(c.size + ${TILE_BYTES}) over (order by t.used_at, t.ctid) - c.size - ${TILE_BYTES} as before
        from (select ctid, * from kept_tiles order by used_at limit ${AT_ONCE}) t
        join kept_tile_contents c on c.hash = t.content) oldest
      where before < ${bytes}))`);

/** Deletes contents of some deleted tiles that no other tile has. Returns the number of these tiles. */
export async function deleteUnusedContents(tx: Db): Promise<number> {
  const Deleted = z.object({ tiles: z.number(), bytes: z.coerce.number() });
  const { tiles, bytes } = await tx.one(sql.type(Deleted)`
    with gone as (
      delete from deleted_kept_tiles where ctid = any(array(select ctid from deleted_kept_tiles limit ${2 * AT_ONCE}))
      returning content),
    unused as (
      delete from kept_tile_contents c using (select distinct content from gone) g
      where c.hash = g.content and not exists (select from kept_tiles t where t.content = c.hash)
      returning size)
    select (select count(*) from gone)::int as tiles, (select coalesce(sum(size), 0) from unused) as bytes`);
  await tx.query(sql.unsafe`select count_kept_bytes(0, ${-(bytes + TILE_BYTES * tiles)}::bigint)`);
  return tiles;
}

/** Tiles of the current blob by level. */
export const countKeptTiles = (db: Db, datasetId: string, blob: string) =>
  db.any(sql.type(z.object({ schemeId: z.string(), level: z.number(), tiles: z.number(), bytes: z.coerce.number() }))`
    select t.scheme_id, t.level, count(*)::int as tiles, sum(c.size)::bigint as bytes
    from kept_tiles t join kept_tile_contents c on c.hash = t.content
    where t.dataset_id = ${datasetId}::uuid and t.blob = ${blob} group by 1, 2 order by 1, 2`);
