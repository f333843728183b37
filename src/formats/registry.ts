import { offeredBy } from '../convert/offers.ts';
import { asciiGridReader } from './ascii-grid/reader.ts';
import { asciiGridWriter } from './ascii-grid/writer.ts';
import type { ParameterDescription, Reader, Writer } from './define.ts';
import { describeParameters } from './define.ts';
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

/** Names are matched exactly. */
export const findReader = (name: string): Reader | undefined => readers.find((reader) => reader.name === name);
export const findWriter = (name: string): Writer | undefined => writers.find((writer) => writer.name === name);

export const fits = (reader: Reader, writer: Writer): boolean => writer.accepts.includes(reader.produces);

export const writersFor = (reader: Reader): Writer[] => writers.filter((writer) => fits(reader, writer));

export interface ConverterDescription {
  name: string;
  description: string;
  datasetFormat: string;
  parameters: ParameterDescription[];
}

export const describeReader = (
  reader: Reader,
): ConverterDescription & { transformations: string[]; writers: string[] } => ({
  name: reader.name,
  description: reader.description,
  datasetFormat: reader.format,
  parameters: describeParameters(reader.parameters),
  transformations: offeredBy(reader),
  writers: writersFor(reader).map((writer) => writer.name),
});

export const describeWriter = (writer: Writer): ConverterDescription & { canAppend: boolean } => ({
  name: writer.name,
  description: writer.description,
  datasetFormat: writer.format,
  canAppend: writer.append !== undefined,
  parameters: describeParameters(writer.parameters),
});
