import { asciiGridReader } from './ascii-grid/reader.ts';
import { asciiGridWriter } from './ascii-grid/writer.ts';
import type { Reader, Writer } from './define.ts';
import { fileReader } from './file/reader.ts';
import { fileWriter } from './file/writer.ts';
import { geoJsonReader } from './geojson/reader.ts';
import { geoJsonWriter } from './geojson/writer.ts';
import { geoTiffReader } from './geotiff/reader.ts';
import { geoTiffWriter } from './geotiff/writer.ts';
import { shapefileReader } from './shapefile/reader.ts';
import { shapefileWriter } from './shapefile/writer.ts';

export const readers: readonly Reader[] = [fileReader, asciiGridReader, geoTiffReader, shapefileReader, geoJsonReader];
export const writers: readonly Writer[] = [fileWriter, asciiGridWriter, geoTiffWriter, shapefileWriter, geoJsonWriter];

/** By exact name. */
export const findReader = (name: string): Reader | undefined => readers.find((reader) => reader.name === name);
export const findWriter = (name: string): Writer | undefined => writers.find((writer) => writer.name === name);
