import type { ByteSink } from '../../data/bytes.ts';
import { microClockText } from '../../data/date-text.ts';
import { headerOf, type Table, type TableCell, type TableColumn } from '../../data/table.ts';
import { BufferedWriter } from '../io/buffered-writer.ts';
import { distinctNames } from '../io/distinct-names.ts';
import { longestNumber } from '../io/number-text.ts';
import { putSingle } from '../io/single-text.ts';
import { comma, endRow, putByte, putNumber, putText } from './put-cell.ts';

/** Writes a table as CSV (RFC 4180) with a header: units stand in it, times have no zone, no value is an empty cell. */
export async function writeCsvTable({ columns, chunks }: Table, sink: Pick<ByteSink, 'append'>): Promise<void> {
  const out = new BufferedWriter(sink);
  for (const [n, name] of distinctNames(columns.map(headerOf)).entries()) {
    if (n > 0) putByte(out, comma);
    putText(out, name);
  }
  endRow(out);
  for await (const { rows, cells } of chunks()) {
    for (let row = 0; row < rows; row++) {
      for (const [n, cell] of cells.entries()) {
        if (n > 0) putByte(out, comma);
        putCell(out, cell(row), columns[n]!.type);
      }
      endRow(out);
    }
    await out.drain();
  }
  await out.end();
}

function putCell(out: BufferedWriter, cell: TableCell, type: TableColumn['type']): void {
  if (cell === null) return;
  if (type === 'time') out.text(microClockText(Number(cell) / 1000));
  else if (typeof cell === 'string') putText(out, cell);
  else if (typeof cell === 'bigint') out.text(String(cell));
  else if (type === 'Float32') {
    out.reserve(longestNumber);
    out.at = putSingle(out.bytes, out.at, cell);
  } else putNumber(out, cell);
}
