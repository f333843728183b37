import type { ByteSink, ByteSource } from '../../data/bytes.ts';
import { FormatError } from '../../errors.ts';
import type { PropertyDefinition, SeriesDefinition } from './definition.ts';

/**
 * The series of a dataset in a local file: how a conversion, which has no database, reads and writes them. Packed
 * blocks follow each other; then a table with 32 bytes for each (first and last time, number of rows, length, offset),
 * series by series; then a directory in JSON; at the end the places of table and directory.
 */
const MAGIC = 'TSERIES1';
const FOOTER_BYTES = 40;
const ENTRY_BYTES = 32;

/** Packed rows (`block.ts`) and what is known of them without unpacking. Times in microseconds since 1970. */
export interface FiledBlock {
  first: bigint;
  last: bigint;
  count: number;
  data: Uint8Array;
}

interface BlockEntry extends Omit<FiledBlock, 'data'> {
  offset: number;
  length: number;
}

/** A series of a file. */
export interface FiledSeries extends SeriesDefinition {
  /** Rows that the series has in the dataset, and the time of the last one; the file need not have their values. */
  present?: { rows: number; last?: bigint };
}

/** Part of the directory. */
interface DirectoryEntry extends SeriesDefinition {
  present?: { rows: number; last?: string };
  /** Blocks in the file. */
  blocks: number;
}

interface Directory {
  schema?: readonly PropertyDefinition[];
  series: DirectoryEntry[];
}

export class SeriesFileWriter {
  readonly #sink: ByteSink;
  readonly #series: FiledSeries[] = [];
  readonly #entries: BlockEntry[][] = [];

  constructor(sink: ByteSink) {
    this.#sink = sink;
  }

  /** Gives the number of the series for `addBlock`. */
  addSeries(series: FiledSeries): number {
    this.#entries.push([]);
    return this.#series.push(series) - 1;
  }

  /** Blocks of a series come in the order of time. */
  async addBlock(series: number, { first, last, count, data }: FiledBlock): Promise<void> {
    this.#entries[series]!.push({ first, last, count, length: data.length, offset: this.#sink.position });
    await this.#sink.append(data);
  }

  /** @param schema absent: that of the dataset stays */
  async end(schema: readonly PropertyDefinition[] | undefined): Promise<void> {
    const tableAt = this.#sink.position;
    for (const entries of this.#entries) if (entries.length > 0) await this.#sink.append(encodeTable(entries));
    const directoryAt = this.#sink.position;
    const directory: Directory = {
      ...(schema === undefined ? {} : { schema }),
      series: this.#series.map(({ present, ...definition }, n) => ({
        ...definition,
        ...(present === undefined
          ? {}
          : { present: { rows: present.rows, ...(present.last === undefined ? {} : { last: String(present.last) }) } }),
        blocks: this.#entries[n]!.length,
      })),
    };
    const text = Buffer.from(JSON.stringify(directory));
    await this.#sink.append(text);
    const footer = Buffer.alloc(FOOTER_BYTES);
    for (const [n, value] of [tableAt, directoryAt - tableAt, directoryAt, text.length].entries())
      footer.writeBigUInt64LE(BigInt(value), n * 8);
    footer.write(MAGIC, 32, 'latin1');
    await this.#sink.append(footer);
  }
}

function encodeTable(entries: readonly BlockEntry[]): Buffer {
  const table = Buffer.alloc(entries.length * ENTRY_BYTES);
  for (const [n, { first, last, count, length, offset }] of entries.entries()) {
    const at = n * ENTRY_BYTES;
    table.writeBigInt64LE(first, at);
    table.writeBigInt64LE(last, at + 8);
    table.writeUInt32LE(count, at + 16);
    table.writeUInt32LE(length, at + 20);
    table.writeBigUInt64LE(BigInt(offset), at + 24);
  }
  return table;
}

export class SeriesFile {
  readonly #source: ByteSource;
  readonly #table: { offset: number; length: number };
  /** Number of the first block of each series in the table. */
  readonly #starts: number[] = [];
  readonly series: readonly (FiledSeries & { blocks: number })[];
  readonly schema: readonly PropertyDefinition[] | undefined;

  private constructor(source: ByteSource, table: { offset: number; length: number }, directory: Directory) {
    this.#source = source;
    this.#table = table;
    this.schema = directory.schema;
    this.series = directory.series.map(({ present, ...series }) => ({
      ...series,
      ...(present === undefined
        ? {}
        : {
            present: { rows: present.rows, ...(present.last === undefined ? {} : { last: BigInt(present.last) }) },
          }),
    }));
    let blocks = 0;
    for (const series of directory.series) {
      this.#starts.push(blocks);
      blocks += series.blocks;
    }
    if (blocks * ENTRY_BYTES !== table.length) throw damaged(table.offset);
  }

  static async open(source: ByteSource): Promise<SeriesFile> {
    const end = source.size - FOOTER_BYTES;
    const footer = end < 0 ? Buffer.alloc(0) : await bytesAt(source, end, FOOTER_BYTES);
    if (footer.toString('latin1', 32) !== MAGIC)
      throw new FormatError('TSReader reads datasets of time series, not files. Choose the reader of the file.', 0);
    const [tableAt, tableLength, directoryAt, length] = [0, 8, 16, 24].map((at) =>
      Number(footer.readBigUInt64LE(at)),
    ) as [number, number, number, number];
    if (tableAt + tableLength !== directoryAt || directoryAt + length !== end) throw damaged(end);
    const text = (await bytesAt(source, directoryAt, length)).toString();
    return new SeriesFile(source, { offset: tableAt, length: tableLength }, JSON.parse(text) as Directory);
  }

  /** The blocks of a series in the order of time. */
  async *blocks(series: number): AsyncGenerator<FiledBlock> {
    for (const entry of await this.#entries(series)) {
      const data = await bytesAt(this.#source, entry.offset, entry.length);
      yield { first: entry.first, last: entry.last, count: entry.count, data };
    }
  }

  async #entries(series: number): Promise<BlockEntry[]> {
    const { blocks } = this.series[series]!;
    const at = this.#table.offset + this.#starts[series]! * ENTRY_BYTES;
    const table = await bytesAt(this.#source, at, blocks * ENTRY_BYTES);
    return Array.from({ length: blocks }, (_, n) => {
      const entry = {
        first: table.readBigInt64LE(n * ENTRY_BYTES),
        last: table.readBigInt64LE(n * ENTRY_BYTES + 8),
        count: table.readUInt32LE(n * ENTRY_BYTES + 16),
        length: table.readUInt32LE(n * ENTRY_BYTES + 20),
        offset: Number(table.readBigUInt64LE(n * ENTRY_BYTES + 24)),
      };
      if (entry.offset + entry.length > this.#table.offset) throw damaged(at + n * ENTRY_BYTES);
      return entry;
    });
  }
}

const damaged = (offset: number) => new FormatError('The file of time series is damaged.', offset);

/** A copy, because the source may use its buffer again. */
async function bytesAt(source: ByteSource, offset: number, length: number): Promise<Buffer> {
  const bytes = await source.read(offset, length);
  if (bytes.length !== length) throw damaged(offset);
  return Buffer.from(bytes);
}
