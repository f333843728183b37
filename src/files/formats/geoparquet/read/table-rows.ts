import type { ByteSource } from '../../../data/bytes.ts';
import { FormatError } from '../../../errors.ts';
import { ColumnPages } from '../parquet/column-pages.ts';
import type { Footer, RowGroup } from '../parquet/footer.ts';
import type { LeafType } from '../parquet/leaf-type.ts';
import type { SchemaNode } from '../parquet/schema.ts';
import { Entries } from './entries.ts';
import { type Shape, take } from './shape.ts';

export const rowsAtOnce = 2048;
/** More columns wait for their pages, which would take too much memory. */
const columnsAhead = 64;

/** A column of the table: of one column of the file, or put together from several. */
export interface TableColumn {
  readonly name: string;
  readonly leaves: readonly { readonly node: SchemaNode; readonly leaf: LeafType }[];
  /** Absent: the values of the only column, which is in no list and no group. */
  readonly assemble?: (entries: readonly Entries[]) => () => unknown;
}

/** A column put together by its shape, of which `value` makes what the caller wants. */
export const assembled =
  (shape: (entries: readonly Entries[]) => Shape, value: (assembled: unknown) => unknown) =>
  (entries: readonly Entries[]) => {
    const own = shape(entries);
    return () => value(take(own));
  };

/** Rows of which the values are in an array per column. */
export interface TableChunk {
  readonly count: number;
  readonly values: readonly (readonly unknown[])[];
}

/** All rows of the file, in the order of the columns. */
export async function* tableRows(
  source: ByteSource,
  footer: Footer,
  columns: readonly TableColumn[],
  signal: AbortSignal,
): AsyncGenerator<TableChunk> {
  const ahead = columns.reduce((sum, { leaves }) => sum + leaves.length, 0) <= columnsAhead;
  for (const group of footer.rowGroups) {
    if (group.rows === 0) continue;
    const sources = columns.map((column) => rowSource(source, column, group, { end: footer.offset, ahead }));
    for (let left = group.rows; left > 0; ) {
      signal.throwIfAborted();
      await Promise.all(sources.flatMap((one) => (one.available === 0 ? one.load() : [])));
      let count = Math.min(left, rowsAtOnce);
      for (const { available } of sources) count = Math.min(count, available);
      yield { count, values: sources.map((one) => one.take(count)) };
      left -= count;
    }
  }
}

interface RowSource {
  /** Rows that can be taken. */
  readonly available: number;
  load(): Promise<void>;
  take(count: number): readonly unknown[];
}

function rowSource(
  source: ByteSource,
  { name, leaves, assemble }: TableColumn,
  group: RowGroup,
  place: { end: number; ahead: boolean },
): RowSource {
  const pages = leaves.map(({ node, leaf }) => {
    const chunk = group.columns[node.column];
    if (chunk === undefined) throw new FormatError(`A row group lacks the column '${name.slice(0, 80)}'.`);
    return new ColumnPages(source, chunk, { name, node, leaf }, place);
  });
  const [only] = pages;
  return assemble === undefined ? new PlainRows(name, only!) : new AssembledRows(name, leaves, pages, assemble);
}

const tooFew = (name: string): FormatError =>
  new FormatError(`The column '${name.slice(0, 80)}' has fewer rows than its row group claims.`);

class PlainRows implements RowSource {
  readonly #name: string;
  readonly #pages: ColumnPages;

  constructor(name: string, pages: ColumnPages) {
    this.#name = name;
    this.#pages = pages;
  }

  get available(): number {
    return this.#pages.available;
  }

  async load(): Promise<void> {
    if (!(await this.#pages.load())) throw tooFew(this.#name);
  }

  take(count: number): readonly unknown[] {
    return this.#pages.rows(count);
  }
}

class AssembledRows implements RowSource {
  readonly #name: string;
  readonly #pages: readonly ColumnPages[];
  readonly #entries: readonly Entries[];
  readonly #value: () => unknown;

  constructor(
    name: string,
    leaves: TableColumn['leaves'],
    pages: readonly ColumnPages[],
    assemble: NonNullable<TableColumn['assemble']>,
  ) {
    this.#name = name;
    this.#pages = pages;
    this.#entries = leaves.map(({ node }) => new Entries(node.maxDefinition));
    this.#value = assemble(this.#entries);
  }

  get available(): number {
    return this.#entries.reduce((least, { complete }) => Math.min(least, complete), Infinity);
  }

  async load(): Promise<void> {
    for (const [n, entries] of this.#entries.entries())
      while (entries.complete === 0) {
        const pages = this.#pages[n]!;
        if (pages.available === 0 && !(await pages.load())) {
          if (entries.ended || entries.rows === 0) throw tooFew(this.#name);
          entries.ended = true;
          // ever more of a long row, because each piece copies those before it
        } else entries.append(pages.read(Math.min(pages.available, Math.max(rowsAtOnce, entries.length))));
      }
  }

  take(count: number): readonly unknown[] {
    const values: unknown[] = new Array(count);
    for (let n = 0; n < count; n++) {
      values[n] = this.#value();
      for (const entries of this.#entries) entries.endRow();
    }
    return values;
  }
}
