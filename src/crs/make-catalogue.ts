import { writeFile } from 'node:fs/promises';
import { brotliCompressSync, constants } from 'node:zlib';
import { crsToWkt, withCrs } from '../geo/srs.ts';
import type { Gdal } from '../geo/wasm.ts';
import { gdal, guarded, projDatabase, rasterInfo, withDataset } from '../geo/wasm.ts';

/**
 * Writes `catalogue.br` anew from PROJ's own database: `npm run crs-catalogue`, after a new version of gdal3.js. A line of JSON per
 * coordinate reference system, as the API answers it; EPSG before ESRI, by number. Takes some seconds, which is why it is kept.
 */
const KINDS = ['projected', 'geographic 2D', 'geographic 3D', 'compound', 'vertical'];

const module = await gdal();
const rows = projDatabase(
  module,
  `select auth_name, cast(code as integer) as id, name from crs_view
   where deprecated = 0 and auth_name in ('EPSG', 'ESRI') and type in (${KINDS.map((kind) => `'${kind}'`).join(', ')})
   order by auth_name, 2`,
);
const lines = rows.map(({ auth_name: authority, id, name }) => {
  const srid = `${authority}:${id}`;
  const { wkt1, wkt2 } = withCrs(module, srid, (handle) => ({
    wkt1: attempt(() => crsToWkt(module, handle, 'WKT1_GDAL')),
    wkt2: crsToWkt(module, handle, 'WKT2_2019'),
  }));
  const proj4 = proj4Of(module, srid);
  return JSON.stringify({ id, name, authority, wkt: wkt1 ?? wkt2, wkt2, ...(proj4 ? { proj4String: proj4 } : {}) });
});
const text = Buffer.from(`${lines.join('\n')}\n`);
const packed = brotliCompressSync(text, {
  params: { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: text.length },
});
await writeFile(new URL('catalogue.br', import.meta.url), packed);
console.log(`${lines.length} coordinate reference systems, ${text.length} bytes, packed ${packed.length}`);

/** Some systems have no WKT 1. */
function attempt(f: () => string): string | undefined {
  try {
    return f();
  } catch {
    return undefined;
  }
}

/** The WebAssembly build exports no OSRExportToProj4; `gdalinfo -proj4` of a raster that has the system says the same. */
function proj4Of(gdal: Gdal, srid: string): string | undefined {
  const path = '/crs.vrt';
  const raster = `<VRTDataset rasterXSize="1" rasterYSize="1"><SRS>${srid}</SRS><VRTRasterBand dataType="Byte" band="1"/></VRTDataset>`;
  return guarded(() => {
    gdal.FS.writeFile(path, raster);
    const info = withDataset(gdal, path, 'VRT', (dataset) => rasterInfo(gdal, dataset, ['-proj4']), 'raster');
    return info?.coordinateSystem?.proj4?.trim();
  });
}
