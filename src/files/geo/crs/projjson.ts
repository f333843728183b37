import type { Crs } from '../../data/crs-reference.ts';
import { ConversionError, FormatError } from '../../errors.ts';
import { gdal, guarded, vectorInfo, withDataset } from '../wasm.ts';
import { crsFromWkt, type KnownCrs, parseSrid, wgs84 } from './crs.ts';
import { crsToWkt, withCrs } from './srs.ts';

const maxNesting = 24;
const maxLength = 1 << 20;
const schema = 'https://proj.org/schemas/v0.7/projjson.schema.json';

/**
 * The CRS of a PROJJSON object: by its code if a registry has it, else by its definition.
 * @throws FormatError for an object that PROJ cannot read
 */
export async function crsFromProjJson(given: object): Promise<Crs> {
  const { id } = given as { id?: { authority?: unknown; code?: unknown } };
  const authority = String(id?.authority ?? '').toUpperCase();
  if (authority === 'OGC' && String(id?.code).toUpperCase() === 'CRS84') return wgs84;
  if (authority === 'EPSG' || authority === 'ESRI')
    try {
      return parseSrid(`${authority}:${id?.code}`);
    } catch (error) {
      if (!(error instanceof ConversionError)) throw error;
      // PROJ reads the definition.
    }
  // PROJ follows the nesting with its own stack.
  if (isDeeper(given, maxNesting))
    throw new FormatError(`The PROJJSON of the coordinate system is nested more than ${maxNesting} deep.`);
  const text = JSON.stringify({ $schema: schema, ...given });
  if (text.length > maxLength) throw new FormatError(`The PROJJSON of the coordinate system has ${text.length} bytes.`);
  const module = await gdal();
  return crsFromWkt(guarded(module, () => withCrs(module, text, (handle) => crsToWkt(module, handle, 'WKT2_2019'))));
}

const isDeeper = (value: unknown, depth: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (depth === 0 || Object.values(value).some((one) => isDeeper(one, depth - 1)));

/**
 * A CRS as PROJJSON. gdal3.js does not export OSRExportToPROJJSON, but GDAL's description of a layer has it. So this
 * opens an empty FlatGeobuf, whose header can hold a WKT 2.
 */
export async function projJsonOf({ authority = 'EPSG', code, wkt }: KnownCrs): Promise<object> {
  const module = await gdal();
  const json = guarded(module, () => {
    module.FS.writeFile('/projjson.fgb', emptyFlatGeobuf(wkt));
    try {
      const info = withDataset(module, '/projjson.fgb', 'FlatGeobuf', (dataset) =>
        vectorInfo(module, dataset, ['-so']),
      );
      return info?.layers[0]?.geometryFields[0]?.coordinateSystem?.projjson;
    } finally {
      module.FS.unlink('/projjson.fgb');
    }
  });
  if (json === undefined) throw new FormatError('The coordinate system cannot be written as PROJJSON.');
  return code === undefined ? json : { ...json, id: { authority, code } };
}

/**
 * A FlatGeobuf without features and columns: the magic, then a FlatBuffer of the header with two slots, the size of
 * nodes of the index (9), which is 0, and the table of the CRS (10), whose slot 4 is the WKT.
 */
function emptyFlatGeobuf(wkt: string): Buffer {
  const text = Buffer.from(wkt);
  const bytes = Buffer.alloc(8 + 4 + 84 + text.length + 8);
  bytes.set([0x66, 0x67, 0x62, 3, 0x66, 0x67, 0x62, 1]);
  const at = 12;
  bytes.writeUInt32LE(bytes.length - at, 8);
  const [vtable, table, crsVtable, crs, string] = [4, 32, 48, 64, 76];
  bytes.writeUInt32LE(table, at);
  bytes.writeUInt16LE(4 + 2 * 11, at + vtable);
  bytes.writeUInt16LE(12, at + vtable + 2);
  bytes.writeUInt16LE(8, at + vtable + 4 + 2 * 9);
  bytes.writeUInt16LE(4, at + vtable + 4 + 2 * 10);
  bytes.writeInt32LE(table - vtable, at + table);
  bytes.writeUInt32LE(crs - (table + 4), at + table + 4);
  bytes.writeUInt16LE(4 + 2 * 5, at + crsVtable);
  bytes.writeUInt16LE(8, at + crsVtable + 2);
  bytes.writeUInt16LE(4, at + crsVtable + 4 + 2 * 4);
  bytes.writeInt32LE(crs - crsVtable, at + crs);
  bytes.writeUInt32LE(string - (crs + 4), at + crs + 4);
  bytes.writeUInt32LE(text.length, at + string);
  text.copy(bytes, at + string + 4);
  return bytes;
}
