import type { ByteSource } from '../../../data/bytes.ts';
import { FormatError } from '../../../errors.ts';
import { readBuffer } from '../../io/buffers.ts';
import { magic } from './constants.ts';
import { readSchemaElement, type SchemaElement } from './schema.ts';
import { ThriftReader } from './thrift-reader.ts';

/** Maximum size of the metadata in bytes: in memory they take some times as much. */
const maxFooter = 64 << 20;
/** Maxima of elements that may take a byte each in the file, but hundreds in memory. */
const [maxColumns, maxRowGroups] = [1 << 18, 1 << 18];

/** The values of one column in one row group. */
export interface ColumnChunk {
  readonly type: number;
  readonly codec: number;
  /** Values with nulls and, in lists, all elements. */
  readonly values: number;
  /** Bytes of its pages in the file. */
  readonly start: number;
  readonly size: number;
}

export interface RowGroup {
  readonly rows: number;
  readonly columns: readonly ColumnChunk[];
}

export interface Footer {
  readonly rows: number;
  readonly schema: readonly SchemaElement[];
  readonly rowGroups: readonly RowGroup[];
  readonly keyValues: ReadonlyMap<string, string>;
  /** Where the metadata begin. */
  readonly offset: number;
}

/** Reads the metadata at the end of a Parquet file. */
export async function readFooter(source: ByteSource): Promise<Footer> {
  const { size } = source;
  const tail = size < 12 ? Buffer.alloc(0) : await readBuffer(source, size - 8, 8);
  const head = await readBuffer(source, 0, 4);
  if (tail.subarray(4).toString('latin1') === 'PARE')
    throw new FormatError('The Parquet file is encrypted, so it cannot be read.', size - 4);
  if (!head.equals(magic)) throw new FormatError("The file does not begin with 'PAR1', so it is no Parquet file.", 0);
  if (!tail.subarray(4).equals(magic))
    throw new FormatError("The file does not end with 'PAR1': it is no Parquet file, or its end is missing.", size);
  const length = tail.readUInt32LE(0);
  if (length > size - 12)
    throw new FormatError(`The file claims ${length} bytes of metadata; it has ${size} bytes.`, size - 8);
  if (length > maxFooter)
    throw new FormatError(`The file has ${length} bytes of metadata; the limit is ${maxFooter}.`, size - 8);
  const offset = size - 8 - length;
  const footer = fileMetadata(new ThriftReader(await readBuffer(source, offset, length), offset));
  return { ...footer, offset };
}

function fileMetadata(reader: ThriftReader): Omit<Footer, 'offset'> {
  const schema: SchemaElement[] = [];
  const rowGroups: RowGroup[] = [];
  const keyValues = new Map<string, string>();
  let rows = -1;
  reader.struct((id, type) => {
    if (id === 2) reader.list(() => schema.push(readSchemaElement(reader)), maxColumns);
    else if (id === 3) rows = reader.integer();
    else if (id === 4) reader.list(() => rowGroups.push(rowGroup(reader)), maxRowGroups);
    else if (id === 5) reader.list(() => readKeyValue(reader, keyValues));
    else if (id === 8) throw new FormatError('The Parquet file is encrypted, so it cannot be read.');
    else reader.skip(type);
  });
  if (schema.length === 0) reader.fail('they have no schema');
  const sum = rowGroups.reduce((all, group) => all + group.rows, 0);
  if (rows < 0 || sum !== rows) reader.fail(`they claim ${rows} rows, but the row groups have ${sum}`);
  return { rows, schema, rowGroups, keyValues };
}

function readKeyValue(reader: ThriftReader, keyValues: Map<string, string>): void {
  let [key, value] = ['', ''];
  reader.struct((id, type) => {
    if (id === 1) key = reader.text();
    else if (id === 2) value = reader.text();
    else reader.skip(type);
  });
  keyValues.set(key, value);
}

function rowGroup(reader: ThriftReader): RowGroup {
  const columns: ColumnChunk[] = [];
  let rows = -1;
  reader.struct((id, type) => {
    if (id === 1) reader.list(() => columns.push(columnChunk(reader)));
    else if (id === 3) rows = reader.integer();
    else reader.skip(type);
  });
  if (!(rows >= 0)) reader.fail(`a row group claims ${rows} rows`);
  return { rows, columns };
}

function columnChunk(reader: ThriftReader): ColumnChunk {
  let chunk: ColumnChunk | undefined;
  reader.struct((id, type) => {
    if (id === 1)
      throw new FormatError(`The values of the Parquet file are in another one ('${reader.text().slice(0, 80)}').`);
    if (id === 3) chunk = columnMetadata(reader);
    else reader.skip(type);
  });
  if (chunk === undefined) reader.fail('a column has no metadata, or is encrypted');
  return chunk;
}

function columnMetadata(reader: ThriftReader): ColumnChunk {
  const found: Record<number, number> = {};
  reader.struct((id, type) => {
    if ([1, 4, 5, 7, 9, 11].includes(id)) found[id] = reader.integer();
    else reader.skip(type);
  });
  const { 1: type, 4: codec, 5: values, 7: size, 9: data, 11: dictionary } = found;
  if (type === undefined || codec === undefined || values === undefined || size === undefined || data === undefined)
    reader.fail('a column lacks its type, codec, count or place');
  // Some programs write 0 for "no dictionary".
  const start = dictionary !== undefined && dictionary >= magic.length && dictionary < data ? dictionary : data;
  if (!(values >= 0) || !(size >= 0) || !(start >= 0)) reader.fail('a column has a negative count, size or place');
  return { type, codec, values, start, size };
}
