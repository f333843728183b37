import { randomUUID } from 'node:crypto';
import type { Crs } from '../../data/crs-reference.ts';
import { FormatError } from '../../errors.ts';
import { crsFromWkt, crsText } from '../../geo/crs/crs.ts';
import { crsToWkt } from '../../geo/crs/srs.ts';
import { type Gdal, gdal, guarded, lastMessage, withStrings } from '../../geo/wasm.ts';
import { memorySource } from '../io/buffers.ts';
import { Directory, type GeoTags, readGeoTags, tag } from './directory.ts';
import { type Field, geoFields, tiffDirectory, tiffHeader } from './write-directory.ts';

/**
 * The CRS of user-defined GeoKeys. A CRS without EPSG code takes dozens of keys, which programs write in different
 * dialects. GDAL handles them, so this lets it read an image of one cell with these keys.
 */
export async function crsOfKeys(tags: GeoTags): Promise<Crs | undefined> {
  const module = await gdal();
  const wkt = guarded(module, () =>
    withImage(module, oneCell(tags), (path) => {
      const raster = 2;
      const types = ['string', 'number', 'number', 'number', 'number'] as const;
      const dataset = module.ccall('GDALOpenEx', 'number', [...types], [path, raster, 0, 0, 0]) as number;
      if (dataset === 0) return undefined;
      try {
        const handle = module.ccall('GDALGetSpatialRef', 'number', ['number'], [dataset]) as number;
        return handle === 0 ? undefined : crsToWkt(module, handle, 'WKT2_2019');
      } finally {
        module._GDALClose(dataset);
      }
    }),
  );
  return wkt === undefined ? undefined : crsFromWkt(wkt);
}

/** The user-defined GeoKeys of a CRS, for images with PixelIsArea. */
export async function keysOfCrs(crs: Crs): Promise<GeoTags> {
  const wkt = await crsText(crs, 'WKT2_2019');
  const module = await gdal();
  const bytes = guarded(module, () =>
    withImage(module, oneCell(undefined), (path) => {
      const written = `${path}.out`;
      const options = withStrings(module, ['-of', 'GTiff', '-a_srs', wkt], (argv) =>
        module.ccall('GDALTranslateOptionsNew', 'number', ['number', 'number'], [argv, 0]),
      ) as number;
      const dataset = module.ccall('GDALOpen', 'number', ['string', 'number'], [path, 0]) as number;
      const types = ['string', 'number', 'number', 'number'] as const;
      const result = module.ccall('GDALTranslate', 'number', [...types], [written, dataset, options, 0]) as number;
      module.ccall('GDALTranslateOptionsFree', null, ['number'], [options]);
      if (result !== 0) module._GDALClose(result);
      if (dataset !== 0) module._GDALClose(dataset);
      if (result === 0) throw new FormatError(`GDAL cannot write the coordinate system: ${lastMessage(module)}.`);
      const all = module.FS.readFile(written);
      module.FS.unlink(written);
      return all;
    }),
  );
  return readGeoTags(await Directory.open(memorySource(bytes)));
}

function withImage<T>(module: Gdal, bytes: Uint8Array, f: (path: string) => T): T {
  const path = `/${randomUUID()}.tif`;
  module.FS.writeFile(path, bytes);
  try {
    return f(path);
  } finally {
    module.FS.unlink(path);
  }
}

/** A TIFF of one cell, with or without GeoKeys. */
function oneCell(tags: GeoTags | undefined): Uint8Array {
  const fields: Field[] = [
    { tag: tag.imageWidth, type: 'long', values: [1] },
    { tag: tag.imageLength, type: 'long', values: [1] },
    { tag: tag.bitsPerSample, type: 'short', values: [8] },
    { tag: tag.compression, type: 'short', values: [1] },
    { tag: tag.photometric, type: 'short', values: [1] },
    { tag: tag.stripOffsets, type: 'long', values: [8] },
    { tag: tag.rowsPerStrip, type: 'long', values: [1] },
    { tag: tag.stripByteCounts, type: 'long', values: [1] },
    { tag: tag.modelPixelScale, type: 'double', values: [1, 1, 0] },
    { tag: tag.modelTiepoint, type: 'double', values: [0, 0, 0, 0, 0, 0] },
    ...(tags === undefined ? [] : geoFields(tags)),
  ];
  return Buffer.concat([tiffHeader(false, 16), Buffer.alloc(8), tiffDirectory(fields, 16, false)]);
}
