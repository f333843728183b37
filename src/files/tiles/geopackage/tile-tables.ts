import type { DatabaseSync } from 'node:sqlite';
import { quoted } from '../../formats/geopackage/sql.ts';
import { type Box, resolutionOf, type TileMatrices } from '../matrices.ts';

/** A table of tiles. */
export interface TileTable {
  readonly name: string;
  readonly description: string;
  readonly matrices: TileMatrices;
  readonly levels: readonly number[];
  /** Extent of the data in the coordinate system of the matrices. */
  readonly box: Box;
  /** Number of the coordinate system in the file. */
  readonly srs: number;
}

/** The tables that describe tiles (OGC 12-128r17, annex C). */
export function createTileTables(database: DatabaseSync): void {
  database.exec(`create table gpkg_tile_matrix_set (
      table_name text not null primary key, srs_id integer not null,
      min_x double not null, min_y double not null, max_x double not null, max_y double not null,
      constraint fk_gtms_table_name foreign key (table_name) references gpkg_contents(table_name),
      constraint fk_gtms_srs foreign key (srs_id) references gpkg_spatial_ref_sys(srs_id));
    create table gpkg_tile_matrix (
      table_name text not null, zoom_level integer not null, matrix_width integer not null,
      matrix_height integer not null, tile_width integer not null, tile_height integer not null,
      pixel_x_size double not null, pixel_y_size double not null,
      constraint pk_ttm primary key (table_name, zoom_level),
      constraint fk_tmm_table_name foreign key (table_name) references gpkg_contents(table_name))`);
}

/**
 * Creates and lists a table of tiles. All matrices have the area of the only tile of level 0, so that those of a level
 * are 2^level tiles wide and high. Rows count from the top.
 * @returns adds a tile
 */
export function createTileTable(
  database: DatabaseSync,
  { name, description, matrices, levels, box, srs }: TileTable,
): (level: number, column: number, row: number, bytes: Uint8Array) => void {
  const { left, top, tileWidth, tileHeight, coarsest } = matrices;
  database.exec(`create table ${quoted(name)} (
    id integer primary key autoincrement, zoom_level integer not null, tile_column integer not null,
    tile_row integer not null, tile_data blob not null, unique (zoom_level, tile_column, tile_row))`);
  const list = `insert into gpkg_contents (table_name, data_type, identifier, description, min_x, min_y, max_x, max_y, srs_id)
    values (?, 'tiles', ?, ?, ?, ?, ?, ?, ?)`;
  database.prepare(list).run(name, name, description, box.west, box.south, box.east, box.north, srs);
  database
    .prepare('insert into gpkg_tile_matrix_set values (?, ?, ?, ?, ?, ?)')
    .run(name, srs, left, top - coarsest * tileHeight, left + coarsest * tileWidth, top);
  const addMatrix = database.prepare('insert into gpkg_tile_matrix values (?, ?, ?, ?, ?, ?, ?, ?)');
  for (const level of levels) {
    const [count, size] = [2 ** level, resolutionOf(matrices, level)];
    addMatrix.run(name, level, count, count, tileWidth, tileHeight, size, size);
  }
  const add = database.prepare(
    `insert into ${quoted(name)} (zoom_level, tile_column, tile_row, tile_data) values (?, ?, ?, ?)`,
  );
  return (...tile) => void add.run(...tile);
}
