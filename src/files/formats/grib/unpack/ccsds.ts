import { FormatError } from '../../../errors.ts';
import { Bits } from './bits.ts';

/** Parameters of octets 21 to 25 of template 5.42. */
export interface CcsdsOptions {
  /** Bits of a sample. */
  readonly width: number;
  readonly flags: number;
  /** Samples of a block. */
  readonly block: number;
  /** Blocks of a reference sample interval. */
  readonly interval: number;
}

const SIGNED = 1;
const PREPROCESSED = 8;
const RESTRICTED = 16;
const PADDED = 32;
/** Blocks of zeros are counted within segments of this many blocks. */
const SEGMENT = 64;
/** This count of blocks of zeros means all up to the end of the segment. */
const REST_OF_SEGMENT = 5;

/**
 * Samples of the lossless compression of CCSDS 121.0-B-3, which packs numbers in blocks with a code chosen for each:
 * no compression, splitting, the second extension, or zeros.
 */
export function unpackCcsds(
  data: Buffer,
  count: number,
  { width, flags, block, interval }: CcsdsOptions,
): Float64Array {
  if (width < 1 || width > 32 || block < 1 || block > 64 || interval < 1 || (flags & SIGNED) !== 0)
    throw new FormatError(`Blocks of ${block} samples of ${width} bits (flags ${flags}) are not valid.`);
  const bits = new Bits(data);
  const idBits = idBitsOf(width, (flags & RESTRICTED) !== 0);
  const raw = 2 ** idBits - 1;
  const preprocessed = (flags & PREPROCESSED) !== 0;
  const samples = new Float64Array(Math.ceil(count / block) * block);
  for (let start = 0; start < count; ) {
    const end = Math.min(start + block * interval, samples.length);
    for (let at = start; at < end; ) {
      const references = preprocessed && at === start ? 1 : 0;
      const id = bits.next(idBits);
      if (id === raw) {
        for (let n = 0; n < block; n++) samples[at + n] = bits.next(width);
        at += block;
        continue;
      }
      const isExtension = id === 0 && bits.next(1) === 1;
      if (references === 1) samples[at] = bits.next(width);
      if (id > 0) {
        const split = id - 1;
        for (let n = references; n < block; n++) samples[at + n] = bits.zeros() * 2 ** split;
        if (split > 0) for (let n = references; n < block; n++) samples[at + n]! += bits.next(split);
        at += block;
      } else if (isExtension) {
        secondExtension(bits, samples, at, at + block, references);
        at += block;
      } else at += block * zeroBlocks(bits.zeros() + 1, (at - start) / block, (end - start) / block);
    }
    if (preprocessed) restore(samples, start, end, width);
    if ((flags & PADDED) !== 0) bits.align();
    start = end;
  }
  return samples.subarray(0, count);
}

function idBitsOf(width: number, restricted: boolean): number {
  if (width > 16) return 5;
  if (width > 8) return 4;
  if (!restricted || width > 4) return 3;
  return width <= 2 ? 1 : 2;
}

/** Number of blocks of zeros from a code; the samples are zero already. */
function zeroBlocks(code: number, before: number, all: number): number {
  const blocks =
    code === REST_OF_SEGMENT
      ? Math.min(all - before, SEGMENT - (before % SEGMENT))
      : code > REST_OF_SEGMENT
        ? code - 1
        : code;
  if (before + blocks > all) throw new FormatError(`A run of ${blocks} blocks of zeros goes beyond its interval.`);
  return blocks;
}

/** Pairs of samples whose sum s and second sample b are coded as s (s + 1) / 2 + b. */
function secondExtension(bits: Bits, samples: Float64Array, start: number, end: number, references: number): void {
  for (let at = start + references; at < end; ) {
    const code = bits.zeros();
    const sum = Math.floor((Math.sqrt(8 * code + 1) - 1) / 2);
    const second = code - (sum * (sum + 1)) / 2;
    // The reference sample is the first of a pair.
    if ((at - start) % 2 === 0) samples[at++] = sum - second;
    samples[at++] = second;
  }
}

/** Replaces mapped differences to the sample before by samples of `width` bits, in place. */
function restore(samples: Float64Array, start: number, end: number, width: number): void {
  const most = 2 ** width - 1;
  let last = samples[start]!;
  for (let at = start + 1; at < end; at++) {
    const mapped = samples[at]!;
    const room = Math.min(last, most - last);
    if (mapped > 2 * room) last = room === last ? mapped : most - mapped;
    else last += mapped % 2 === 0 ? mapped / 2 : -(mapped + 1) / 2;
    samples[at] = last;
  }
}
