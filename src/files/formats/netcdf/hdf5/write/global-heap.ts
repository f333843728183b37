import { u8, u16, u32, u64 } from './bytes.ts';

const smallest = 4096;
/** Objects of a collection are numbered by 16 bits. */
const mostObjects = 60_000;

/** Values of any length, which attributes refer to: collections of objects. */
export class GlobalHeap {
  /** Objects whose content may be known later. */
  readonly #objects: (() => Buffer)[] = [];
  readonly #sizes: number[] = [];
  #start = 0;

  /** Adds an object of that size; returns a function for the reference to it, once the heap has an address. */
  add(size: number, content: () => Buffer): (count: number) => Buffer {
    const number = this.#objects.push(content) - 1;
    this.#sizes.push(size);
    return (count) => Buffer.concat([u32(count), u64(this.#addressOf(number)), u32((number % mostObjects) + 1)]);
  }

  get bytes(): number {
    let sum = 0;
    for (let first = 0; first < this.#objects.length; first += mostObjects) sum += this.#collectionSize(first);
    return sum;
  }

  set start(address: number) {
    this.#start = address;
  }

  #addressOf(number: number): number {
    let address = this.#start;
    for (let first = 0; first + mostObjects <= number; first += mostObjects) address += this.#collectionSize(first);
    return address;
  }

  #collectionSize(first: number): number {
    const own = this.#sizes.slice(first, first + mostObjects);
    return Math.max(
      smallest,
      own.reduce((sum, size) => sum + 16 + eights(size), 16 + 16),
    );
  }

  content(): Buffer {
    const collections: Buffer[] = [];
    for (let first = 0; first < this.#objects.length; first += mostObjects) {
      const size = this.#collectionSize(first);
      const parts = [Buffer.from('GCOL'), u8(1, 0, 0, 0), u64(size)];
      let used = 16;
      for (const [n, content] of this.#objects.slice(first, first + mostObjects).entries()) {
        const bytes = content();
        parts.push(
          u16(n + 1),
          u16(0),
          u32(0),
          u64(bytes.length),
          bytes,
          Buffer.alloc(eights(bytes.length) - bytes.length),
        );
        used += 16 + eights(bytes.length);
      }
      // Object 0 is the free space, its own head included.
      const free = size - used;
      parts.push(u16(0), u16(0), u32(0), u64(free), Buffer.alloc(Math.max(0, free - 16)));
      collections.push(Buffer.concat(parts));
    }
    return Buffer.concat(collections);
  }
}

const eights = (size: number): number => Math.ceil(size / 8) * 8;
