import { writeFile } from 'node:fs/promises';
import { brotliCompressSync, constants } from 'node:zlib';
import { crsToWkt, withCrs } from '../geo/crs/srs.ts';
import { type Gdal, gdal, guarded, projDatabase, rasterInfo, withDataset } from '../geo/wasm.ts';
import type { AreaOfUse, IndexEntry } from './catalogue.ts';

/**
 * Generates `catalogue.br` from the PROJ database: run `npm run crs-catalogue` after an update of gdal3.js. The first
 * line is an index (`IndexEntry`); the second line contains the records as JSON, separated by commas, as the API
 * returns them; EPSG before ESRI, by code. The file is committed because generating it takes seconds.
 */
const KINDS = ['projected', 'geographic 2D', 'geographic 3D', 'compound', 'vertical'];
const LISTED_CONDITION = `auth_name in ('EPSG', 'ESRI') and type in (${KINDS.map((kind) => `'${kind}'`).join(', ')})`;
/** Well-known codes without an entry in the deprecation table. */
const WELL_KNOWN: Record<string, string> = { 'EPSG:900913': 'EPSG:3857' };

const module = await gdal();
const query = (sql: string) => projDatabase(module, sql) as Record<string, never>[];
const rows = query(`select auth_name, cast(code as integer) as id, name from crs_view
  where deprecated = 0 and ${LISTED_CONDITION} order by auth_name, 2`);
const known = new Set(rows.map(({ auth_name, id }) => `${auth_name}:${id}`));
const aliases = readAliases();
const areas = readAreas();

const records: string[] = [];
const index: IndexEntry[] = [];
for (const { auth_name: authority, id, name } of rows) {
  const srid = `${authority}:${id}`;
  const { wkt1, wkt2 } = withCrs(module, srid, (handle) => ({
    wkt1: attempt(() => crsToWkt(module, handle, 'WKT1_GDAL')),
    wkt2: crsToWkt(module, handle, 'WKT2_2019'),
  }));
  const proj4String = exportProj4(module, srid) || undefined;
  const others = [...(aliases.get(srid) ?? [])];
  const areaOfUse = areas.get(srid);
  const record = JSON.stringify({
    id,
    name,
    authority,
    ...(others.length > 0 ? { aliases: others } : {}),
    ...(areaOfUse ? { areaOfUse } : {}),
    wkt: wkt1 ?? wkt2,
    wkt2,
    proj4String,
  });
  records.push(record);
  index.push([id, authority, name, others, areaOfUse ?? null, Buffer.byteLength(record)]);
}
const text = Buffer.from(`${JSON.stringify(index)}\n${records.join(',')}`);
const packed = brotliCompressSync(text, {
  params: { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: text.length },
});
await writeFile(new URL('catalogue.br', import.meta.url), packed);
console.log(`${records.length} coordinate reference systems, ${text.length} bytes, packed ${packed.length}`);

/** Aliases of each system, and the codes of the deprecated systems that it replaces. */
function readAliases(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  const add = (srid: string | undefined, alias: string) => {
    if (srid === undefined || !known.has(srid)) return;
    const set = found.get(srid) ?? new Set();
    found.set(srid, set.add(alias));
  };
  const replacedBy = new Map<string, string>(Object.entries(WELL_KNOWN));
  for (const row of query('select * from deprecation'))
    replacedBy.set(
      `${row.deprecated_auth_name}:${row.deprecated_code}`,
      `${row.replacement_auth_name}:${row.replacement_code}`,
    );
  const current = (srid: string): string => {
    const next = replacedBy.get(srid);
    return next === undefined ? srid : current(next);
  };
  const named = new Map<string, string>();
  for (const { auth_name, code, alt_name, source } of query(`select a.auth_name, a.code, a.alt_name, a.source
    from alias_name a where a.table_name in ('projected_crs', 'geodetic_crs', 'compound_crs', 'vertical_crs')`)) {
    add(`${auth_name}:${code}`, alt_name);
    if (source === 'ESRI') named.set(alt_name, current(`${auth_name}:${code}`));
  }
  // a deprecated Esri code without an entry has the name that Esri gives the EPSG system
  for (const { auth_name, code, name } of query(
    `select auth_name, code, name from crs_view where deprecated = 1 and ${LISTED_CONDITION}`,
  )) {
    const srid = `${auth_name}:${code}`;
    add(replacedBy.has(srid) ? current(srid) : named.get(name), srid);
  }
  return found;
}

/** Area of use of each system; the first one if there are several. */
function readAreas(): Map<string, AreaOfUse> {
  const found = new Map<string, AreaOfUse>();
  for (const row of query(`select u.object_auth_name || ':' || u.object_code as srid, e.description, e.west_lon, e.south_lat, e.east_lon, e.north_lat
    from usage u join extent e on e.auth_name = u.extent_auth_name and e.code = u.extent_code
    where u.object_table_name in ('projected_crs', 'geodetic_crs', 'compound_crs', 'vertical_crs') and e.west_lon is not null`)) {
    const { srid, description, west_lon: west, south_lat: south, east_lon: east, north_lat: north } = row;
    if (!found.has(srid)) found.set(srid, { name: String(description).replace(/\.$/, ''), west, south, east, north });
  }
  return found;
}

/** Undefined if `f` throws: some systems have no WKT 1. */
function attempt(f: () => string): string | undefined {
  try {
    return f();
  } catch {
    return undefined;
  }
}

/**
 * PROJ string of a system. The WebAssembly build does not export OSRExportToProj4, so it comes from `gdalinfo -proj4`
 * of a raster.
 */
function exportProj4(gdal: Gdal, srid: string): string | undefined {
  const path = '/crs.vrt';
  const raster = `<VRTDataset rasterXSize="1" rasterYSize="1"><SRS>${srid}</SRS><VRTRasterBand dataType="Byte" band="1"/></VRTDataset>`;
  return guarded(module, () => {
    gdal.FS.writeFile(path, raster);
    const info = withDataset(gdal, path, 'VRT', (dataset) => rasterInfo(gdal, dataset, ['-proj4']), 'raster');
    return info?.coordinateSystem?.proj4?.trim();
  });
}
