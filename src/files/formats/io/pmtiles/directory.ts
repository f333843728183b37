import { lowerBound } from '../../../data/number-arrays.ts';
import { FormatError } from '../../../errors.ts';
import { ProtobufWriter } from '../protobuf.ts';

/** An entry of a directory of PMTiles 3: tiles with the same bytes, or, with run length 0, a leaf directory. */
export interface DirectoryEntry {
  readonly id: number;
  readonly run: number;
  readonly offset: number;
  readonly length: number;
}

/** Entries in the order of their ids; all columns have the same length. */
export interface DirectoryColumns {
  readonly ids: Float64Array;
  readonly runs: Float64Array;
  readonly offsets: Float64Array;
  readonly lengths: Float64Array;
}

/** Column by column, as varints. */
export function packDirectory({ ids, runs, offsets, lengths }: DirectoryColumns): Uint8Array {
  const bytes = new ProtobufWriter();
  bytes.varint(ids.length);
  for (let n = 0; n < ids.length; n++) bytes.varint(n === 0 ? ids[0]! : ids[n]! - ids[n - 1]!);
  for (const run of runs) bytes.varint(run);
  for (const length of lengths) bytes.varint(length);
  for (let n = 0; n < ids.length; n++) {
    const follows = n > 0 && offsets[n - 1]! + lengths[n - 1]! === offsets[n]!;
    bytes.varint(follows ? 0 : offsets[n]! + 1);
  }
  return bytes.taken();
}

/** A directory in memory: 32 bytes per entry. */
export class Directory {
  readonly #ids: Float64Array;
  readonly #runs: Float64Array;
  readonly #lengths: Float64Array;
  readonly #offsets: Float64Array;

  /** @throws FormatError if the bytes are no directory */
  constructor(bytes: Uint8Array) {
    let at = 0;
    const take = (): number => {
      let value = 0;
      for (let factor = 1; ; factor *= 0x80) {
        const byte = bytes[at++];
        if (byte === undefined || factor > 2 ** 49) throw broken();
        value += (byte & 0x7f) * factor;
        if (byte < 0x80) return value;
      }
    };
    const count = take();
    // Each entry has at least four bytes.
    if (count > bytes.length / 4) throw broken();
    const column = () => Float64Array.from({ length: count }, take);
    this.#ids = column();
    for (let n = 1; n < count; n++) this.#ids[n]! += this.#ids[n - 1]!;
    this.#runs = column();
    this.#lengths = column();
    this.#offsets = column();
    for (let n = 0; n < count; n++)
      this.#offsets[n] =
        this.#offsets[n] === 0 && n > 0 ? this.#offsets[n - 1]! + this.#lengths[n - 1]! : this.#offsets[n]! - 1;
  }

  #at(n: number): DirectoryEntry {
    return { id: this.#ids[n]!, run: this.#runs[n]!, offset: this.#offsets[n]!, length: this.#lengths[n]! };
  }

  *entries(): Generator<DirectoryEntry> {
    for (let n = 0; n < this.#ids.length; n++) yield this.#at(n);
  }

  /** The entry of a tile, or of the leaf that may have it. */
  find(id: number): DirectoryEntry | undefined {
    const n = lowerBound(this.#ids, id + 1) - 1;
    if (n < 0) return undefined;
    const run = this.#runs[n]!;
    return run === 0 || id < this.#ids[n]! + run ? this.#at(n) : undefined;
  }
}

const broken = () => new FormatError('A directory of the tile archive is broken.');
