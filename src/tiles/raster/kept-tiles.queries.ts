import { z } from 'zod';
import type { Db } from '../../db.ts';
import { sql } from '../../db.ts';

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

const named = ({ datasetId, blob, schemeId, step, layer, level, column, row }: TileKey) => sql.fragment`
  dataset_id = ${datasetId}::uuid and blob = ${blob} and scheme_id = ${schemeId} and step = ${step} and layer = ${layer}
  and level = ${level} and tile_column = ${column} and tile_row = ${row}`;

const Kept = z.object({ bytes: z.instanceof(Buffer), isOld: z.boolean() });

/** `isOld`: its use was not noted for ten minutes. */
export const findKeptTile = (db: Db, key: TileKey) =>
  db.maybeOne(sql.type(Kept)`
    select c.bytes, t.used_at < now() - interval '10 minutes' as is_old
    from kept_tiles t join kept_tile_contents c on c.hash = t.content where ${named(key)}`);

export const noteUse = (db: Db, key: TileKey) =>
  db.query(sql.unsafe`update kept_tiles set used_at = now() where ${named(key)}`);

/** Hashed to the number of the advisory lock of a tile. */
export const lockName = (key: TileKey): string => `kept tile ${JSON.stringify(Object.values(key))}`;

/** Whether this transaction is the only one, over all processes, that draws the tile. */
export const tryLockTile = async (tx: Db, key: TileKey): Promise<boolean> => {
  const { locked } = await tx.one(sql.type(z.object({ locked: z.boolean() }))`
    select pg_try_advisory_xact_lock(hashtextextended(${lockName(key)}, 0)) as locked`);
  return locked;
};

export async function insertKeptTile(tx: Db, key: TileKey, hash: Buffer, bytes: Buffer): Promise<void> {
  const { datasetId, blob, schemeId, step, layer, level, column, row } = key;
  // Not while contents without tiles are deleted.
  await tx.query(sql.unsafe`select pg_advisory_xact_lock_shared(hashtextextended('kept tile contents', 0))`);
  await tx.query(sql.unsafe`
    insert into kept_tile_contents (hash, bytes, size)
    values (${sql.binary(hash)}, ${sql.binary(bytes)}, ${bytes.length}) on conflict (hash) do nothing`);
  await tx.query(sql.unsafe`
    insert into kept_tiles (dataset_id, blob, scheme_id, step, layer, level, tile_column, tile_row, content)
    values (${datasetId}::uuid, ${blob}, ${schemeId}, ${step}, ${layer}, ${level}, ${column}, ${row}, ${sql.binary(hash)})
    on conflict do nothing`);
}

/** Deletes tiles of former contents of the dataset. */
export const deleteFormerTiles = (db: Db, datasetId: string, blob: string) =>
  db.query(sql.unsafe`delete from kept_tiles where dataset_id = ${datasetId}::uuid and blob <> ${blob}`);

export const keptBytes = (db: Db) =>
  db.oneFirst(sql.type(z.object({ bytes: z.coerce.number() }))`
    select coalesce(sum(size), 0)::bigint as bytes from kept_tile_contents`);

/** Deletes least recently used tiles of so many bytes, some hundred at a time, and contents that no tile has. Returns the number of deleted rows. */
export const deleteOldestTiles = (db: Db, bytes: number): Promise<number> =>
  db.transaction(async (tx) => {
    await tx.query(sql.unsafe`select pg_advisory_xact_lock(hashtextextended('kept tile contents', 0))`);
    const tiles = await tx.query(sql.unsafe`
      delete from kept_tiles where ctid = any(array(
        select tile from (
          select t.ctid as tile, sum(c.size) over (order by t.used_at, t.ctid) - c.size as before
          from (select ctid, * from kept_tiles order by used_at limit 500) t
          join kept_tile_contents c on c.hash = t.content) oldest
        where before < ${bytes}))`);
    const contents = await tx.query(sql.unsafe`
      delete from kept_tile_contents c where not exists (select from kept_tiles t where t.content = c.hash)`);
    return tiles.rowCount + contents.rowCount;
  });
/** Tiles of the current blob by level. */
export const countKeptTiles = (db: Db, datasetId: string, blob: string) =>
  db.any(sql.type(z.object({ schemeId: z.string(), level: z.number(), tiles: z.number(), bytes: z.coerce.number() }))`
    select t.scheme_id, t.level, count(*)::int as tiles, sum(c.size)::bigint as bytes
    from kept_tiles t join kept_tile_contents c on c.hash = t.content
    where t.dataset_id = ${datasetId}::uuid and t.blob = ${blob} group by 1, 2 order by 1, 2`);
