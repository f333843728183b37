import type { ByteSink } from '../../../data/bytes.ts';
import { magic, repetitions } from '../parquet/constants.ts';
import { binary, encodeStruct, i32, i64, struct, structs, type ThriftStruct } from '../parquet/thrift-writer.ts';
import { type ColumnSpec, type ColumnWriter, schemaElement } from './column-writer.ts';

/** A column, or a group of columns that are there whenever the group is. */
export interface SchemaColumn {
  readonly name: string;
  readonly isOptional: boolean;
  readonly columns: readonly ColumnSpec[];
}

/** Writes a Parquet file: row groups one after another, then the metadata. */
export class ParquetFile {
  readonly #sink: ByteSink;
  readonly #schema: readonly SchemaColumn[];
  readonly #groups: ThriftStruct[] = [];
  #rows = 0;
  #at = 0;

  constructor(sink: ByteSink, schema: readonly SchemaColumn[]) {
    this.#sink = sink;
    this.#schema = schema;
  }

  async #append(bytes: Uint8Array): Promise<void> {
    this.#at += bytes.length;
    await this.#sink.append(bytes);
  }

  /** @param more members of the metadata of each column, such as statistics */
  async rowGroup(
    columns: readonly ColumnWriter[],
    rows: number,
    more: (column: ColumnWriter) => ThriftStruct = () => ({}),
  ): Promise<void> {
    if (this.#at === 0) await this.#append(Buffer.from(magic));
    const start = this.#at;
    const chunks: ThriftStruct[] = [];
    let [unpackedBytes, size] = [0, 0];
    for (const column of columns) {
      const finished = await column.finished();
      const offset = this.#at;
      for (const page of finished.pages) await this.#append(page);
      chunks.push({ 2: i64(0), 3: struct({ ...finished.metadata(offset), ...more(column) }) });
      unpackedBytes += finished.unpacked;
      size += finished.size;
    }
    this.#groups.push({
      1: structs(chunks),
      2: i64(unpackedBytes),
      3: i64(rows),
      5: i64(start),
      6: i64(size),
      7: this.#groups.length < 1 << 15 ? { type: 'i16', value: this.#groups.length } : undefined,
    });
    this.#rows += rows;
  }

  async end(keyValues: Readonly<Record<string, string | undefined>>, createdBy: string): Promise<void> {
    if (this.#at === 0) await this.#append(Buffer.from(magic));
    const leaves = this.#schema.flatMap(({ columns }) => columns);
    const metadata = encodeStruct({
      1: i32(2),
      2: structs([{ 4: binary('schema'), 5: i32(this.#schema.length) }, ...this.#schema.flatMap(elementsOf)]),
      3: i64(this.#rows),
      4: structs(this.#groups),
      5: structs(
        Object.entries(keyValues).flatMap(([key, value]) =>
          value === undefined ? [] : [{ 1: binary(key), 2: binary(value) }],
        ),
      ),
      6: binary(createdBy),
      // minima and maxima are in the order of each type
      7: structs(leaves.map(() => ({ 1: struct({}) }))),
    });
    const length = Buffer.alloc(4);
    length.writeUInt32LE(metadata.length);
    await this.#append(Buffer.concat([metadata, length, magic]));
  }
}

function elementsOf({ name, isOptional, columns }: SchemaColumn): ThriftStruct[] {
  const repetition = isOptional ? repetitions.optional : repetitions.required;
  const [only] = columns;
  if (only!.path.length === 1) return [schemaElement(only!, repetition)];
  return [
    { 3: i32(repetition), 4: binary(name), 5: i32(columns.length) },
    ...columns.map((column) => schemaElement(column, repetitions.required)),
  ];
}
