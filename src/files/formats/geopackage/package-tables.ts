import type { DatabaseSync } from 'node:sqlite';
import type { Crs } from '../../data/crs-reference.ts';
import { FormatError } from '../../errors.ts';
import { crsName, crsText, type KnownCrs, resolveCrs, sridOf, wgs84 } from '../../geo/crs/crs.ts';
import type { Context } from '../define.ts';

/** Version 1.3 of GeoPackage. */
const version = 10300;
/** `GPKG`. */
const applicationId = 0x47504b47;
/** Number of a coordinate system that has no code. */
const firstOwnSrs = 100_000;

/** WKT 1 of EPSG:4326: loading PROJ takes longer than writing a small file. */
const wgs84Text =
  'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563,AUTHORITY["EPSG","7030"]],AUTHORITY["EPSG","6326"]],PRIMEM["Greenwich",0,AUTHORITY["EPSG","8901"]],UNIT["degree",0.0174532925199433,AUTHORITY["EPSG","9122"]],AXIS["Latitude",NORTH],AXIS["Longitude",EAST],AUTHORITY["EPSG","4326"]]';

/** The tables that every GeoPackage has (OGC 12-128r17, annex C), in a file that is copied when it is whole. */
export function createPackage(database: DatabaseSync): void {
  database.exec(`pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -65536;
    pragma application_id = ${applicationId}; pragma user_version = ${version};
    create table gpkg_spatial_ref_sys (
      srs_name text not null, srs_id integer not null primary key, organization text not null,
      organization_coordsys_id integer not null, definition text not null, description text);
    create table gpkg_contents (
      table_name text not null primary key, data_type text not null, identifier text unique, description text default '',
      last_change datetime not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
      min_x double, min_y double, max_x double, max_y double, srs_id integer,
      constraint fk_gc_r_srs_id foreign key (srs_id) references gpkg_spatial_ref_sys(srs_id));
    create table gpkg_geometry_columns (
      table_name text not null, column_name text not null, geometry_type_name text not null, srs_id integer not null,
      z tinyint not null, m tinyint not null,
      constraint pk_geom_cols primary key (table_name, column_name),
      constraint uk_gc_table_name unique (table_name),
      constraint fk_gc_tn foreign key (table_name) references gpkg_contents(table_name),
      constraint fk_gc_srs foreign key (srs_id) references gpkg_spatial_ref_sys(srs_id));
    create table gpkg_extensions (
      table_name text, column_name text, extension_name text not null, definition text not null, scope text not null,
      constraint ge_tce unique (table_name, column_name, extension_name))`);
  const add = database.prepare('insert into gpkg_spatial_ref_sys values (?, ?, ?, ?, ?, ?)');
  add.run('Undefined Cartesian SRS', -1, 'NONE', -1, 'undefined', 'undefined Cartesian coordinate reference system');
  add.run('Undefined geographic SRS', 0, 'NONE', 0, 'undefined', 'undefined geographic coordinate reference system');
  add.run(
    'WGS 84 geodetic',
    4326,
    'EPSG',
    4326,
    wgs84Text,
    'longitude/latitude coordinates in decimal degrees on WGS 84',
  );
}

/** Lists the coordinate system, and returns its number in the file. */
export async function listCrs(database: DatabaseSync, crs: Crs | undefined, { reportLoss }: Context): Promise<number> {
  if (crs !== undefined && sridOf(crs) === sridOf(wgs84)) return wgs84.code!;
  const known = crs === undefined ? undefined : await resolveCrs(crs);
  if (known === undefined) {
    const which = crs === undefined ? 'The coordinate system' : `The coordinate system '${crsName(crs)}'`;
    reportLoss(`${which} is not known, so the file names none.`, 'crs');
    return -1;
  }
  const id = known.code ?? firstOwnSrs;
  if (id === wgs84.code) return id;
  const definition = await wktOne(known);
  const organization = known.code === undefined ? 'NONE' : (known.authority ?? 'EPSG');
  database
    .prepare('insert into gpkg_spatial_ref_sys values (?, ?, ?, ?, ?, null)')
    .run(known.name, id, organization, id, definition ?? 'undefined');
  if (definition === undefined) addWktTwo(database, id, known.wkt);
  return id;
}

/** Undefined for a system that WKT 1 cannot say. */
async function wktOne(crs: KnownCrs): Promise<string | undefined> {
  try {
    return await crsText(crs, 'WKT1_GDAL');
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return undefined;
  }
}

/** The extension `crs_wkt`: a column for definitions in WKT 2. */
function addWktTwo(database: DatabaseSync, id: number, wkt: string): void {
  database.exec("alter table gpkg_spatial_ref_sys add column definition_12_063 text not null default 'undefined'");
  database.prepare('update gpkg_spatial_ref_sys set definition_12_063 = ? where srs_id = ?').run(wkt, id);
  const add = database.prepare('insert into gpkg_extensions values (?, ?, ?, ?, ?)');
  const source = 'http://www.geopackage.org/spec120/#extension_crs_wkt';
  add.run('gpkg_spatial_ref_sys', 'definition_12_063', 'gpkg_crs_wkt', source, 'read-write');
}
