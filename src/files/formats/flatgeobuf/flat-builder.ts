/** Content of a table slot: a number in the table, or an object after it. */
export type Slot =
  | { readonly kind: 'u8' | 'u16' | 'i32'; readonly value: number }
  | { readonly kind: 'u64'; readonly value: bigint }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'doubles'; readonly value: readonly number[] }
  | { readonly kind: 'table'; readonly value: Slots }
  | { readonly kind: 'tables'; readonly value: readonly Slots[] };

/** Slots of a table by number. */
export type Slots = Readonly<Record<number, Slot | undefined>>;

const sizes: Readonly<Record<Slot['kind'], number>> = {
  u8: 1,
  u16: 2,
  i32: 4,
  u64: 8,
  text: 4,
  doubles: 4,
  table: 4,
  tables: 4,
};

/** Builds small FlatBuffers front to back: a table precedes the objects that it refers to. */
class Builder {
  #bytes = Buffer.alloc(1 << 12);
  #at = 8;

  finish(root: Slots): Buffer {
    const table = this.#table(root);
    this.#align(8, 0);
    this.#bytes.writeUInt32LE(table - 4, 4);
    this.#bytes.writeUInt32LE(this.#at - 4, 0);
    return this.#bytes.subarray(0, this.#at);
  }

  #reserve(length: number): void {
    if (this.#at + length <= this.#bytes.length) return;
    const more = Buffer.alloc(2 * (this.#at + length));
    this.#bytes.copy(more);
    this.#bytes = more;
  }

  #align(size: number, rest: number): void {
    this.#reserve(size);
    while (this.#at % size !== rest) this.#at++;
  }

  #table(slots: Slots): number {
    // The largest fields first, so that all are aligned; the offset of the vtable ends where 8 divides.
    const entries = Object.entries(slots)
      .flatMap(([slot, content]) => (content === undefined ? [] : [{ slot: Number(slot), content }]))
      .toSorted((a, b) => sizes[b.content.kind] - sizes[a.content.kind]);
    const vtableLength = 4 + 2 * (1 + Math.max(-1, ...entries.map(({ slot }) => slot)));
    const length = 4 + entries.reduce((sum, { content }) => sum + sizes[content.kind], 0);
    this.#align(2, 0);
    this.#reserve(vtableLength + 8 + length);
    const vtable = this.#at;
    this.#at += vtableLength;
    this.#align(8, 4);
    const table = this.#at;
    this.#bytes.writeUInt16LE(vtableLength, vtable);
    this.#bytes.writeUInt16LE(length, vtable + 2);
    this.#bytes.writeInt32LE(table - vtable, table);
    this.#at += length;
    let at = table + 4;
    for (const { slot, content } of entries) {
      this.#bytes.writeUInt16LE(at - table, vtable + 4 + 2 * slot);
      this.#put(content, at);
      at += sizes[content.kind];
    }
    return table;
  }

  #put(content: Slot, at: number): void {
    if (content.kind === 'u8') this.#bytes.writeUInt8(content.value, at);
    else if (content.kind === 'u16') this.#bytes.writeUInt16LE(content.value, at);
    else if (content.kind === 'i32') this.#bytes.writeInt32LE(content.value, at);
    else if (content.kind === 'u64') this.#bytes.writeBigUInt64LE(content.value, at);
    else {
      const target = this.#object(content);
      this.#bytes.writeUInt32LE(target - at, at);
    }
  }

  #object(content: Slot): number {
    if (content.kind === 'table') return this.#table(content.value);
    if (content.kind === 'doubles') {
      const start = this.#vector(content.value.length, 8);
      for (const [n, value] of content.value.entries()) this.#bytes.writeDoubleLE(value, start + 4 + 8 * n);
      return start;
    }
    if (content.kind === 'tables') {
      const start = this.#vector(content.value.length, 4);
      for (const [n, slots] of content.value.entries()) {
        const at = start + 4 + 4 * n;
        const table = this.#table(slots);
        this.#bytes.writeUInt32LE(table - at, at);
      }
      return start;
    }
    const text = Buffer.from(String(content.value));
    // Strings end with a zero that their length does not count.
    const start = this.#vector(text.length, 1, 1);
    text.copy(this.#bytes, start + 4);
    return start;
  }

  #vector(count: number, size: number, more = 0): number {
    this.#align(Math.max(4, size), size === 8 ? 4 : 0);
    const start = this.#at;
    this.#reserve(4 + count * size + more);
    this.#bytes.writeUInt32LE(count, start);
    this.#at += 4 + count * size + more;
    return start;
  }
}

/** A FlatBuffer with its size before it. */
export const flatBuffer = (root: Slots): Buffer => new Builder().finish(root);
