import { isDate } from '../../data/date-text.ts';
import { BufferedWriter } from '../io/buffered-writer.ts';
import { ReadWindow } from '../io/read-window.ts';
import type { ScratchFile } from '../io/scratch-file.ts';
import { truncateUtf8 } from '../short-names.ts';
import { putCell, tag } from './cells.ts';
import { type ColumnStatistics, type DbfField, longestText } from './column-layout.ts';

const pieceSize = 1 << 18;

/** Stores rows in a temporary file. The widths of dBase fields are known only after the last row. */
export class TableSpool {
  rows = 0;
  readonly #out: BufferedWriter;
  readonly #file: ScratchFile;

  constructor(file: ScratchFile) {
    this.#file = file;
    this.#out = new BufferedWriter(file.sink);
  }

  /** Adds a row and updates the statistics of `columns`, which several tables may share. */
  add(values: readonly unknown[], columns: readonly ColumnStatistics[]): void {
    const out = this.#out;
    out.reserve(4 + columns.length * (2 + longestText));
    const start = out.at;
    out.at += 4;
    for (let n = 0; n < columns.length; n++) put(out, values[n], columns[n]!);
    out.bytes.writeUInt32LE(out.at - start, start);
    this.rows++;
  }

  drain(): Promise<void> {
    return this.#out.drain();
  }

  /** The .dbf file after its header, in pieces. */
  async *dbfRows(fields: readonly DbfField[], columnCount: number): AsyncGenerator<Uint8Array> {
    await this.#out.end();
    await using source = await this.#file.open();
    const window = new ReadWindow(source);
    const length = 1 + fields.reduce((sum, { width }) => sum + width, 0);
    const cells = new Uint32Array(columnCount);
    const perPiece = Math.max(1, Math.floor(pieceSize / length));
    let at = 0;
    for (let row = 0; row < this.rows; row += perPiece) {
      const count = Math.min(perPiece, this.rows - row);
      const last = row + count === this.rows;
      const piece = Buffer.alloc(count * length + (last ? 1 : 0), 32);
      if (last) piece[piece.length - 1] = 0x1a;
      for (let r = 0; r < count; r++) {
        if (!window.has(at, 4)) await window.move(at, 4);
        const size = window.bytes.readUInt32LE(at - window.start);
        if (!window.has(at, size)) await window.move(at, size);
        findCells(window.bytes, at - window.start + 4, cells);
        let to = r * length + 1;
        for (const field of fields) {
          putCell(window.bytes, cells[field.column]!, piece, to, field);
          to += field.width;
        }
        at += size;
      }
      yield piece;
    }
    if (this.rows === 0) yield Buffer.of(0x1a);
  }
}

function put(out: BufferedWriter, value: unknown, column: ColumnStatistics): void {
  const { bytes } = out;
  if (typeof value === 'number' && Number.isFinite(value)) {
    column.addNumber(value);
    bytes[out.at] = tag.number;
    bytes.writeDoubleLE(value, out.at + 1);
    out.at += 9;
  } else if (typeof value === 'string') putText(out, value, column);
  else if (typeof value === 'boolean') {
    column.booleans = true;
    bytes[out.at++] = value ? tag.true : tag.false;
  } else if (value === null || value === undefined || typeof value === 'number') bytes[out.at++] = tag.null;
  else if (typeof value === 'bigint') {
    const size = putBytes(out, String(value), column);
    column.addDigits(size);
  } else putText(out, JSON.stringify(value), column);
}

function putText(out: BufferedWriter, text: string, column: ColumnStatistics): void {
  if (text.trim() === '') column.emptyTexts++;
  if (column.dates && column.field.type === 'date' && !isDate(text)) column.dates = false;
  column.addText(putBytes(out, text, column));
}

function putBytes(out: BufferedWriter, text: string, column: ColumnStatistics): number {
  let fitting = text;
  if (text.length * 3 > longestText && Buffer.byteLength(text) > longestText) {
    fitting = truncateUtf8(text, longestText);
    column.cut++;
  }
  out.bytes[out.at] = tag.text;
  const length = out.at + 1;
  out.at += 2;
  const size = out.utf8(fitting);
  out.bytes[length] = size;
  return size;
}

/** Finds the offset of each value of a row. */
function findCells(bytes: Buffer, start: number, cells: Uint32Array): void {
  let at = start;
  for (let n = 0; n < cells.length; n++) {
    cells[n] = at;
    const kind = bytes[at]!;
    at += kind === tag.number ? 9 : kind === tag.text ? 2 + bytes[at + 1]! : 1;
  }
}
