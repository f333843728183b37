import { pooledSamples, releaseBuffer } from '../../data/buffer-pool.ts';
import type { ByteSource } from '../../data/bytes.ts';
import type { RowBlock, RowRange } from '../../data/grid.ts';
import type { Samples } from '../../data/item.ts';
import { bytesOf, sampleArrays } from '../../data/samples.ts';
import { FormatError } from '../../errors.ts';
import { swapBytes } from '../io/buffers.ts';
import { BlockStarts } from './block-sizes.ts';
import { readExactly } from './directory.ts';
import { bytesPerRow, type Layout, rowsOf } from './layout.ts';
import { isOldLzw } from './lzw.ts';
import type { NearNodata } from './near-nodata.ts';
import { undoDifferences, undoFloatDifferences } from './predictor.ts';

/** Size of a read that covers several adjacent blocks, and of a part of an uncompressed strip. */
const readSize = 1 << 20;
/** Number of blocks that are decoded in parallel on the thread pool. */
const maxPending = 6;
/** Thin strips are joined to row blocks of about as many cells. */
const cellsPerPiece = 1 << 16;

/** A block, or some rows of an uncompressed one. */
interface Piece {
  offset: number;
  length: number;
  rows: number;
  /** First column. */
  left: number;
}

interface PendingPiece {
  piece: Piece;
  decoded: Promise<Uint8Array> | Uint8Array;
  /** A read buffer to recycle after this piece, the last one in it. */
  done?: Uint8Array;
}

export interface BandRequest {
  band: number;
  /** Value of cells in blocks that were never written. */
  fill: number;
  exactFill: bigint;
  /** Only blocks with some of these rows are read. */
  rows: RowRange;
  /** Values that become `fill`. */
  near?: NearNodata;
  remark(sentence: string): void;
}

/** Reads rows of a band; yields at least the requested rows. */
export async function* bandRows(source: ByteSource, layout: Layout, request: BandRequest): AsyncGenerator<RowBlock> {
  const { width, blockHeight } = layout;
  const { down, end } = blocksWith(layout, request.rows);
  let firstRow = down * blockHeight;
  const last = Math.min(layout.height, end * blockHeight);
  const endColumn = request.rows.columns?.end ?? width;
  let piece: { samples: Samples; exact?: BigInt64Array | BigUint64Array; rows: number; filled: number } | undefined;
  let left = 0;
  for await (const { piece: block, decoded, done } of decodedBlocks(source, layout, request)) {
    if (piece === undefined) {
      const rows = Math.min(
        last - firstRow,
        layout.tiled ? block.rows : Math.max(block.rows, Math.floor(cellsPerPiece / width)),
      );
      const samples = pooledSamples(layout.type, rows * width);
      piece = { samples, ...exactFor(layout, rows * width), rows, filled: 0 };
    }
    const rows = Math.min(block.rows, piece.rows - piece.filled);
    const bytes = await decoded;
    put(layout, request, bytes, block, { ...piece, row: piece.filled, rows });
    releaseBuffer(bytes);
    if (done !== undefined) releaseBuffer(done);
    left = block.left + layout.blockWidth;
    if (left < endColumn) continue;
    piece.filled += rows;
    const next = Math.min(blockHeight, last - firstRow - piece.filled);
    if (piece.filled === piece.rows || piece.filled + next > piece.rows) {
      const cells = piece.filled * width;
      if (request.near !== undefined) settleNodata(piece.samples.subarray(0, cells), request.near, request, width);
      const exact = piece.exact === undefined ? {} : { exact: piece.exact.subarray(0, cells) };
      yield { firstRow, rowCount: piece.filled, samples: piece.samples.subarray(0, cells), ...exact };
      firstRow += piece.filled;
      piece = undefined;
    }
  }
}

/** Gives values that count as the nodata value this value, in the columns that are needed. */
function settleNodata(
  samples: Samples,
  { low, high }: NearNodata,
  { fill, rows: { columns = { first: 0, end: Infinity } }, remark }: BandRequest,
  width: number,
): void {
  let found = false;
  for (let line = 0; line < samples.length; line += width)
    for (let i = line + columns.first, end = line + Math.min(width, columns.end); i < end; i++) {
      const value = samples[i]!;
      if (value > high || value < low || value === fill || Number.isNaN(value)) continue;
      samples[i] = fill;
      found = true;
    }
  if (found) remark(`Values that differ from the nodata value ${fill} by rounding alone were taken for it.`);
}

function exactFor({ integer64 }: Layout, cells: number): { exact?: BigInt64Array | BigUint64Array } {
  if (integer64 === undefined) return {};
  return { exact: integer64 === 'Int64' ? new BigInt64Array(cells) : new BigUint64Array(cells) };
}

/** Range of block rows that contain the given rows. */
const blocksWith = ({ blockHeight, blocksDown }: Layout, { first, end }: RowRange) => ({
  down: Math.floor(first / blockHeight),
  end: Math.min(blocksDown, Math.ceil(end / blockHeight)),
});

function* pieces(layout: Layout, { band, rows: wanted }: BandRequest): Generator<Piece> {
  const { blocksAcross, blocksDown, blockWidth } = layout;
  const rowBytes = bytesPerRow(layout);
  const first = layout.chunky ? 0 : band * blocksAcross * blocksDown;
  const blocks = blocksWith(layout, wanted);
  const acrossFirst = Math.floor((wanted.columns?.first ?? 0) / blockWidth);
  const acrossEnd = Math.min(blocksAcross, Math.ceil((wanted.columns?.end ?? layout.width) / blockWidth));
  for (let down = blocks.down; down < blocks.end; down++) {
    for (let across = acrossFirst; across < acrossEnd; across++) {
      const block = first + down * blocksAcross + across;
      const offset = layout.offsets[block]!;
      const length = layout.byteCounts[block]!;
      const rows = rowsOf(layout, block);
      const left = across * blockWidth;
      if (layout.tiled || (layout.codec.maxExpansion > 1 && length > 0)) yield { offset, length, rows, left };
      else {
        const step = Math.max(1, Math.floor(readSize / rowBytes));
        for (let row = 0; row < rows; row += step) {
          const part = Math.min(step, rows - row);
          yield { offset: offset + row * rowBytes, length: length === 0 ? 0 : part * rowBytes, rows: part, left };
        }
      }
    }
  }
}

/** Reads blocks in the order of the image, and decodes several at once. */
async function* decodedBlocks(source: ByteSource, layout: Layout, request: BandRequest): AsyncGenerator<PendingPiece> {
  const pending: PendingPiece[] = [];
  const rowBytes = bytesPerRow(layout);
  // Some programs pad the last strip to full size.
  const raw = rowBytes * layout.blockHeight;
  const { name, decode, maxExpansion } = layout.codec;
  const decodeAt = (bytes: Uint8Array, offset: number) =>
    decode(bytes, Math.min(raw, bytes.length * maxExpansion), offset);
  const starts = new BlockStarts(layout.offsets, source.size);
  /** The byte count may be too small: decodes all bytes up to the next block. */
  const decodeMore = async ({ offset, length, rows }: Piece, failure: unknown): Promise<Uint8Array> => {
    const room = starts.room(offset);
    if (room <= length) throw failure;
    const decoded = await decodeAt(await readExactly(source, offset, room, 'A block'), offset);
    if (decoded.length < rows * rowBytes) throw failure;
    request.remark('Blocks of the image are longer than their byte counts; they were read up to the next ones.');
    return decoded;
  };
  const decodePiece = (piece: Piece, bytes: Uint8Array): Promise<Uint8Array> | Uint8Array => {
    const whole = (decoded: Uint8Array) => {
      const needed = piece.rows * rowBytes;
      if (decoded.length >= needed) return decoded;
      return decodeMore(
        piece,
        new FormatError(`A decoded block has ${decoded.length} of ${needed} bytes.`, piece.offset),
      );
    };
    const failed = (error: unknown) => {
      if (error instanceof FormatError) return decodeMore(piece, error);
      throw error;
    };
    if (name === 'Lzw' && isOldLzw(bytes))
      request.remark('Blocks have LZW codes of old versions of libtiff, with the least significant bit first.');
    try {
      const decoded = decodeAt(bytes, piece.offset);
      return decoded instanceof Promise ? decoded.then(whole, failed) : whole(decoded);
    } catch (error) {
      return failed(error);
    }
  };
  for await (const { piece, bytes, done } of readTogether(source, pieces(layout, request))) {
    const decoded = bytes.length === 0 || maxExpansion === 1 ? bytes : decodePiece(piece, bytes);
    // After an error in an earlier block nobody awaits this one: do not report its failure as unhandled.
    if (decoded instanceof Promise) decoded.catch(() => undefined);
    pending.push({ piece, decoded, ...(done === undefined ? {} : { done }) });
    if (pending.length >= maxPending) yield pending.shift()!;
  }
  yield* pending;
}

/** Reads pieces; adjacent ones with a single read. */
async function* readTogether(source: ByteSource, all: Iterable<Piece>) {
  let group: Piece[] = [];
  let end = 0;
  async function* read() {
    const start = group[0]?.offset ?? 0;
    const bytes = end > start ? await readExactly(source, start, end - start, 'A block') : new Uint8Array(0);
    for (const piece of group) {
      const done = piece === group.at(-1) ? bytes : undefined;
      yield { piece, bytes: bytes.subarray(piece.offset - start, piece.offset - start + piece.length), done };
    }
  }
  for (const piece of all) {
    const first = group[0];
    if (first !== undefined && (piece.offset !== end || end + piece.length - first.offset > readSize)) {
      yield* read();
      group = [];
    }
    group.push(piece);
    end = piece.offset + piece.length;
  }
  if (group.length > 0) yield* read();
}

/** Copies the cells of one band from a block into rows. */
function put(
  layout: Layout,
  { band, fill, exactFill }: BandRequest,
  decoded: Uint8Array,
  block: Piece,
  to: { samples: Samples; exact?: BigInt64Array | BigUint64Array; row: number; rows: number },
): void {
  const { width, blockWidth } = layout;
  const { samples, exact, rows } = to;
  const across = Math.min(blockWidth, width - block.left);
  let start = to.row * width + block.left;
  if (block.length === 0) {
    for (let row = 0; row < rows; row++, start += width) {
      samples.fill(fill, start, start + across);
      exact?.fill(exactFill, start, start + across);
    }
    return;
  }
  const bytes = rows * bytesPerRow(layout);
  if (decoded.length < bytes)
    throw new FormatError(`A decoded block has ${decoded.length} of ${bytes} bytes.`, block.offset);
  const step = layout.chunky ? layout.samples : 1;
  if (layout.predictor === 3 && layout.bits >= 32 && step === 1 && blockWidth === width) {
    const rowBytes = bytesPerRow(layout);
    const size = layout.bits / 8;
    const out = bytesOf(samples.subarray(start, start + rows * width));
    undoFloatDifferences(decoded.subarray(0, bytes), { size, rowBytes, samples: 1 }, out);
    return;
  }
  const values = valuesOf(layout, decoded.subarray(0, bytes));
  const rowValues = values.length / rows;
  let from = layout.chunky ? band : 0;
  for (let row = 0; row < rows; row++, from += rowValues, start += width) {
    if (values instanceof BigInt64Array || values instanceof BigUint64Array)
      for (let i = 0; i < across; i++) {
        exact![start + i] = values[from + i * step]!;
        samples[start + i] = Number(values[from + i * step]!);
      }
    else if (step === 1) samples.set(values.subarray(from, from + across), start);
    else for (let i = 0; i < across; i++) samples[start + i] = values[from + i * step]!;
  }
}

type Values = Samples | BigInt64Array | BigUint64Array | Float16Array;

/** All samples of a block as numbers. */
function valuesOf(layout: Layout, decoded: Uint8Array): Values {
  const { bits, format, chunky } = layout;
  const rowBytes = bytesPerRow(layout);
  if (bits < 8) return fewBits(decoded, bits, rowBytes, layout.blockWidth * (chunky ? layout.samples : 1));
  const size = bits / 8;
  const canView = decoded.byteOffset % size === 0 && layout.predictor === 1 && (layout.littleEndian || size === 1);
  // Otherwise make an aligned copy that can be changed.
  let bytes = canView || layout.predictor === 3 ? decoded : decoded.slice();
  if (!layout.littleEndian && layout.predictor !== 3) swapBytes(bytes, size);
  if (layout.predictor === 2) undoDifferences(bytes, size, rowBytes, chunky ? layout.samples : 1);
  else if (layout.predictor === 3) {
    const out = new Uint8Array(bytes.length);
    undoFloatDifferences(bytes, { size, rowBytes, samples: chunky ? layout.samples : 1 }, out);
    bytes = out;
  }
  const count = bytes.length / size;
  if (bits === 64 && format !== 3)
    return format === 2
      ? new BigInt64Array(bytes.buffer, bytes.byteOffset, count)
      : new BigUint64Array(bytes.buffer, bytes.byteOffset, count);
  if (bits === 16 && format === 3) return new Float16Array(bytes.buffer, bytes.byteOffset, count);
  return new sampleArrays[layout.type](bytes.buffer, bytes.byteOffset, count);
}

/** Unpacks samples of 1, 2 or 4 bits. Each row begins at a byte. */
function fewBits(bytes: Uint8Array, bits: number, rowBytes: number, perRow: number): Uint8Array {
  const rows = bytes.length / rowBytes;
  const values = new Uint8Array(rows * perRow);
  const mask = (1 << bits) - 1;
  for (let row = 0; row < rows; row++)
    for (let i = 0; i < perRow; i++) {
      const bit = i * bits;
      values[row * perRow + i] = (bytes[row * rowBytes + (bit >> 3)]! >> (8 - bits - (bit & 7))) & mask;
    }
  return values;
}
