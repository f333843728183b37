import type { ByteSource } from '../../../data/bytes.ts';
import { FormatError } from '../../../errors.ts';
import type { Context } from '../../define.ts';
import { distinctNames } from '../distinct-names.ts';
import type { Dialect } from './dialect.ts';
import { pieces, Rows } from './rows.ts';

/** Maximum number of rows that are yielded at once: more would outlive more collections of garbage. */
const maxRows = 1024;

/** Names of all columns; those without one are called by their number. */
export const columnNames = ({ names, columns }: Dialect): string[] =>
  distinctNames(Array.from({ length: columns }, (_, n) => names?.[n] || `Column ${n + 1}`));

/**
 * Reads all rows but the header: `each` is called for some of them before its results are yielded. A row with more
 * cells than there are columns is a bad record.
 */
export async function* tableRows<T>(
  source: ByteSource,
  { form, separator, hasMark, header, columns, origin }: Dialect,
  context: Pick<Context, 'signal' | 'reportBadRecord'>,
  each: (rows: Rows) => T | undefined,
): AsyncGenerator<T[]> {
  const rows = new Rows(separator, origin);
  let skipped = (hasMark ? 1 : 0) + (header ? 1 : 0);
  for await (const _ of pieces(source, form, rows)) {
    context.signal.throwIfAborted();
    let all: T[] = [];
    while (rows.next()) {
      if (skipped > 0) {
        skipped--;
        continue;
      }
      try {
        rows.check();
        if (rows.count > columns) checkCount(rows, columns);
        const one = each(rows);
        if (one !== undefined) all.push(one);
      } catch (error) {
        if (!(error instanceof FormatError)) throw error;
        context.reportBadRecord({ number: rows.line, reason: error });
      }
      if (all.length < maxRows) continue;
      yield all;
      all = [];
    }
    if (all.length > 0) yield all;
  }
}

/** Empty cells behind the last column do not count: rows may end with separators. */
function checkCount(rows: Rows, columns: number): void {
  for (let n = columns; n < rows.count; n++)
    if (!rows.isEmpty(n))
      throw new FormatError(`${rows.where} has ${rows.count} cells, more than the ${columns} columns of the table.`);
}
