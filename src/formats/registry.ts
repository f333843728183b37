import { asciiGridReader } from './ascii-grid/reader.ts';
import { asciiGridWriter } from './ascii-grid/writer.ts';
import type { Reader, Writer } from './define.ts';
import { dfs0Reader } from './dfs0/reader.ts';
import { dfs0Writer } from './dfs0/writer.ts';
import { dfs1Reader } from './dfs1/reader.ts';
import { dfs1Writer } from './dfs1/writer.ts';
import { dfs2Reader } from './dfs2/reader.ts';
import { dfs2Writer } from './dfs2/writer.ts';
import { dfs3Reader } from './dfs3/reader.ts';
import { dfs3Writer } from './dfs3/writer.ts';
import { dfsuReader } from './dfsu/reader.ts';
import { dfsuWriter } from './dfsu/writer.ts';
import { fileReader } from './file/reader.ts';
import { fileWriter } from './file/writer.ts';
import { gisReader } from './flatgeobuf/reader.ts';
import { gisWriter } from './flatgeobuf/writer.ts';
import { geoJsonReader } from './geojson/reader.ts';
import { geoJsonWriter } from './geojson/writer.ts';
import { geoTiffReader } from './geotiff/reader.ts';
import { geoTiffWriter } from './geotiff/writer.ts';
import { meshFileReader } from './mesh-file/reader.ts';
import { meshFileWriter } from './mesh-file/writer.ts';
import { shapefileReader } from './shapefile/reader.ts';
import { shapefileWriter } from './shapefile/writer.ts';
import { tilingWriter } from './tiles/writer.ts';
import { tsReader } from './ts/reader.ts';
import { tsWriter } from './ts/writer.ts';
import { vtuReader } from './vtu/reader.ts';
import { vtuWriter } from './vtu/writer.ts';
import { xyzReader } from './xyz/reader.ts';
import { xyzWriter } from './xyz/writer.ts';
import { mdReader } from './zarr/reader.ts';
import { mdWriter } from './zarr/writer.ts';

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
  xyzReader,
  vtuReader,
  gisReader,
  mdReader,
  tsReader,
];
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
  gisWriter,
  mdWriter,
  tsWriter,
  tilingWriter,
];

/** By exact name. */
export const findReader = (name: string): Reader | undefined => readers.find((reader) => reader.name === name);
export const findWriter = (name: string): Writer | undefined => writers.find((writer) => writer.name === name);
