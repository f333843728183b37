import type { ByteSource } from '../../../data/bytes.ts';

/** How a global heap collection begins: signature and version (HDF5 File Format Specification 3.0, III.E). */
const collection = Buffer.from('GCOL\x01', 'latin1');
/** Bytes of the head of a collection, and of each object. */
const headBytes = 16;
const windowBytes = 1 << 16;
const hdf5 = Buffer.from('\x89HDF\r\n\x1a\n', 'latin1');

/**
 * Hides collections of the global heap that the HDF5 library would walk without end: up to 2.0 it steps from object to
 * object by their sizes, and stays at one of which the size, with its head, is zero. Without its signature the library
 * refuses the collection.
 */
export class GlobalHeapGuard {
  readonly #source: ByteSource;
  /** Whether the walk through the collection at an offset ends. */
  readonly #known = new Map<number, boolean>();
  /** Collections do not overlap, so there are no more objects than the file has room for. */
  #left: number;
  #lengthBytes: number | undefined;

  constructor(source: ByteSource) {
    this.#source = source;
    this.#left = Math.ceil(source.size / headBytes);
  }

  /** Clears the signatures of endless collections from bytes that were read at an offset. */
  check(bytes: Buffer, offset: number): void {
    // A signature that began in the read before.
    for (let cut = 1; cut < collection.length; cut++) {
      const rest = collection.subarray(cut);
      if (offset < cut || !bytes.subarray(0, rest.length).equals(rest)) continue;
      if (this.#read(offset - cut, cut).equals(collection.subarray(0, cut)) && !this.#ends(offset - cut))
        bytes.fill(0, 0, rest.length);
    }
    for (let at = bytes.indexOf(collection); at >= 0; at = bytes.indexOf(collection, at + 1))
      if (!this.#ends(offset + at)) bytes.fill(0, at, at + collection.length);
  }

  #ends(start: number): boolean {
    let known = this.#known.get(start);
    if (known === undefined) {
      known = this.#walk(start);
      this.#known.set(start, known);
    }
    return known;
  }

  /** Walks as the library does, which has sizes of 32 bits in WebAssembly. */
  #walk(start: number): boolean {
    this.#lengthBytes ??= this.#bytesOfLengths();
    const lengthBytes = this.#lengthBytes;
    const sizeAt = (bytes: Buffer, at: number) => bytes.readUIntLE(at, Math.min(4, lengthBytes));
    const head = this.#read(start, headBytes);
    if (head.length < headBytes) return true;
    const end = start + Math.min(sizeAt(head, 8), this.#source.size - start);
    let at = start + headBytes;
    const windowFrom = (from: number) => this.#read(from, Math.min(windowBytes, end - from));
    for (let [first, window] = [at, windowFrom(at)]; at + headBytes <= end; ) {
      if (at + headBytes > first + window.length) [first, window] = [at, windowFrom(at)];
      if (--this.#left < 0) return false;
      const size = sizeAt(window, at - first + 8);
      const taken = window.readUInt16LE(at - first) === 0 ? size : (headBytes + 8 * Math.floor((size + 7) / 8)) >>> 0;
      if (taken === 0) return false;
      at += taken;
    }
    return true;
  }

  /** Bytes of a length, which the superblock names. It stands at 0 or at a power of two from 512. */
  #bytesOfLengths(): number {
    for (let at = 0; at < this.#source.size; at = at === 0 ? 512 : 2 * at) {
      const head = this.#read(at, 16);
      if (head.length === 16 && head.subarray(0, 8).equals(hdf5)) return head[head[8]! < 2 ? 14 : 10]! || 8;
    }
    return 8;
  }

  #read(offset: number, length: number): Buffer {
    const bytes = Buffer.alloc(Math.max(0, Math.min(length, this.#source.size - offset)));
    return bytes.subarray(0, this.#source.readNow!(bytes, offset));
  }
}
