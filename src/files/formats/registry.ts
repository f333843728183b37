import { tilingWriter } from '../tiles/dataset/format.ts';
import { geoPackageWriter } from '../tiles/geopackage/format.ts';
import { mbTilesWriter, pmTilesWriter } from '../tiles/vector/pyramid/format.ts';
import { asciiGridReader, asciiGridWriter } from './ascii-grid/format.ts';
import { csvReader, csvWriter } from './csv/format.ts';
import type { Reader, Writer } from './define.ts';
import { withDetectedFormat } from './detect.ts';
import { dfs0Reader, dfs0Writer } from './dfs0/format.ts';
import { dfs1Reader, dfs1Writer } from './dfs1/format.ts';
import { dfs2Reader, dfs2Writer } from './dfs2/format.ts';
import { dfs3Reader, dfs3Writer } from './dfs3/format.ts';
import { dfsuReader, dfsuWriter } from './dfsu/format.ts';
import { dxfReader } from './dxf/format.ts';
import { fileReader, fileWriter } from './file/format.ts';
import { gisReader, gisWriter } from './flatgeobuf/format.ts';
import { geoJsonReader, geoJsonWriter } from './geojson/format.ts';
import { geoPackageReader } from './geopackage/format.ts';
import { geoParquetReader, geoParquetWriter } from './geoparquet/format.ts';
import { geoTiffReader, geoTiffWriter } from './geotiff/format.ts';
import { gmlReader } from './gml/format.ts';
import { gpxReader } from './gpx/format.ts';
import { gribReader } from './grib/format.ts';
import { hecRasReader } from './hecras/format.ts';
import { kmlReader, kmlWriter } from './kml/format.ts';
import { mapInfoReader } from './mapinfo/format.ts';
import { meshFileReader, meshFileWriter } from './mesh-file/format.ts';
import { netCdfReader, netCdfWriter } from './netcdf/format.ts';
import { selafinReader } from './selafin/format.ts';
import { shapefileReader, shapefileWriter } from './shapefile/format.ts';
import { tsReader, tsWriter } from './ts/format.ts';
import { vtuReader, vtuWriter } from './vtu/format.ts';
import { xlsxReader } from './xlsx/format.ts';
import { xyzReader, xyzWriter } from './xyz/format.ts';
import { mdReader, mdWriter } from './zarr/format.ts';

/** All readers. Errors about files of another format name the reader of that format. */
export const readers: readonly Reader[] = [
  fileReader,
  asciiGridReader,
  geoTiffReader,
  shapefileReader,
  geoJsonReader,
  dfs0Reader,
  dfs1Reader,
  dfs2Reader,
  dfs3Reader,
  dfsuReader,
  meshFileReader,
  xlsxReader,
  xyzReader,
  csvReader,
  geoPackageReader,
  geoParquetReader,
  vtuReader,
  selafinReader,
  hecRasReader,
  gisReader,
  kmlReader,
  gpxReader,
  gmlReader,
  mapInfoReader,
  dxfReader,
  mdReader,
  netCdfReader,
  gribReader,
  tsReader,
].map(namingFormats);
export const writers: readonly Writer[] = [
  fileWriter,
  asciiGridWriter,
  geoTiffWriter,
  shapefileWriter,
  geoJsonWriter,
  dfs0Writer,
  dfs1Writer,
  dfs2Writer,
  dfs3Writer,
  dfsuWriter,
  meshFileWriter,
  vtuWriter,
  xyzWriter,
  csvWriter,
  geoPackageWriter,
  geoParquetWriter,
  gisWriter,
  kmlWriter,
  mdWriter,
  netCdfWriter,
  tsWriter,
  tilingWriter,
  pmTilesWriter,
  mbTilesWriter,
];

/** Finds a reader by its exact name, or another that it has. */
export const findReader = (name: string): Reader | undefined =>
  readers.find((reader) => reader.name === name || reader.otherNames?.includes(name));
export const findWriter = (name: string): Writer | undefined => writers.find((writer) => writer.name === name);

function namingFormats(reader: Reader): Reader {
  if (reader.rows) return reader;
  const read: Reader['read'] = async (source, ...more) => {
    try {
      return await reader.read(source, ...more);
    } catch (error) {
      throw await withDetectedFormat(error, source, reader.format);
    }
  };
  return { ...reader, read };
}
