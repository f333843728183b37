import { lowerBound } from '../../data/number-arrays.ts';
import { FormatError } from '../../errors.ts';
import type { Context } from '../define.ts';
import { bytesPerRow, type Layout, rowsOf } from './layout.ts';

/**
 * Checks the places of blocks against the size of the file and of the image. Repairs byte counts as libtiff does, and
 * where it is as safe for many blocks as for one: an uncompressed block has the size of its rows; a compressed one,
 * whose count is 0 or too small for its rows, may reach to the next block or the end of the file.
 * @throws FormatError if a block cannot be where the file says
 */
export function repairByteCounts(layout: Layout, fileSize: number, { remark }: Pick<Context, 'remark'>): void {
  const { offsets, byteCounts, codec } = layout;
  const starts = new BlockStarts(offsets, fileSize);
  let repaired = 0;
  for (let block = 0; block < offsets.length; block++) {
    const offset = offsets[block]!;
    const declared = byteCounts[block]!;
    // a block that was never written
    if (offset === 0 && declared === 0) continue;
    const needed = rowsOf(layout, block) * bytesPerRow(layout);
    const isStored = codec.maxExpansion === 1;
    const isBeyond = !Number.isSafeInteger(offset + declared) || offset + declared > fileSize;
    const isShort = isStored ? declared < needed : needed > declared * codec.maxExpansion;
    if (!isBeyond && !isShort) {
      if (isStored) byteCounts[block] = needed;
      continue;
    }
    if (!(offset < fileSize) || (isStored && offset + needed > fileSize))
      throw new FormatError(
        `Block ${block} should be at bytes ${offset} to ${offset + (isStored ? needed : declared)}, but the file has ${fileSize} bytes.`,
        offset,
      );
    const room = starts.room(offset);
    if (needed > room * codec.maxExpansion)
      throw new FormatError(`Block ${block} has ${declared} bytes, too few for ${needed} bytes of samples.`, offset);
    byteCounts[block] = isStored ? needed : room;
    repaired++;
  }
  if (repaired > 0)
    remark(
      `The byte counts of ${repaired} of ${offsets.length} blocks of the image are wrong; they were taken from the size of the image and the places of the blocks.`,
    );
}

/** Finds the bytes between a block and the next one. */
export class BlockStarts {
  #sorted: Float64Array | undefined;
  readonly #offsets: Float64Array;
  readonly #fileSize: number;

  constructor(offsets: Float64Array, fileSize: number) {
    this.#offsets = offsets;
    this.#fileSize = fileSize;
  }

  /** Number of bytes from `offset` to the next block or the end of the file. */
  room(offset: number): number {
    this.#sorted ??= this.#offsets.toSorted();
    const next = this.#sorted[lowerBound(this.#sorted, offset + 1)] ?? this.#fileSize;
    return Math.min(next, this.#fileSize) - offset;
  }
}
