import { grown } from '../../data/number-list.ts';

/** Writes the wire format of protocol buffers. */
export class ProtobufWriter {
  #bytes = new Uint8Array(1 << 12);
  #view = new DataView(this.#bytes.buffer);
  /** Set it to 0 to begin anew. */
  length = 0;

  taken(): Uint8Array {
    return this.#bytes.subarray(0, this.length);
  }

  #room(count: number): void {
    if (this.length + count <= this.#bytes.length) return;
    this.#bytes = grown(this.#bytes, this.length + count);
    this.#view = new DataView(this.#bytes.buffer);
  }

  varint(value: number): void {
    if (this.length + 10 > this.#bytes.length) this.#room(10);
    const bytes = this.#bytes;
    let at = this.length;
    let left = value;
    for (; left >= 0x80000000; left = Math.floor(left / 0x80)) bytes[at++] = (left % 0x80) | 0x80;
    for (; left >= 0x80; left >>>= 7) bytes[at++] = (left & 0x7f) | 0x80;
    bytes[at++] = left;
    this.length = at;
  }

  /**
   * Points `from` to `to - 1` of a list of x and y as the differences to the one before, zigzag. Returns `to`.
   * @param x of the point before the first one
   */
  differences(points: Int32Array, from: number, to: number, x: number, y: number): number {
    this.#room(5 * (to - from));
    const bytes = this.#bytes;
    let at = this.length;
    let [beforeX, beforeY] = [x, y];
    for (let n = from; n < to; n += 2) {
      const [nextX, nextY] = [points[n]!, points[n + 1]!];
      const dx = nextX - beforeX;
      const dy = nextY - beforeY;
      beforeX = nextX;
      beforeY = nextY;
      let left = (dx << 1) ^ (dx >> 31);
      for (; left >>> 0 >= 0x80; left >>>= 7) bytes[at++] = (left & 0x7f) | 0x80;
      bytes[at++] = left;
      left = (dy << 1) ^ (dy >> 31);
      for (; left >>> 0 >= 0x80; left >>>= 7) bytes[at++] = (left & 0x7f) | 0x80;
      bytes[at++] = left;
    }
    this.length = at;
    return to;
  }

  bigVarint(value: bigint): void {
    this.#room(10);
    let left = BigInt.asUintN(64, value);
    for (; left >= 0x80n; left >>= 7n) this.#bytes[this.length++] = Number(left & 0x7fn) | 0x80;
    this.#bytes[this.length++] = Number(left);
  }

  /** Wire types: 0 varint, 1 eight bytes, 2 length and bytes. */
  tag(field: number, wire: 0 | 1 | 2): void {
    this.varint(field * 8 + wire);
  }

  double(value: number): void {
    this.#room(8);
    this.#view.setFloat64(this.length, value, true);
    this.length += 8;
  }

  bytes(field: number, bytes: Uint8Array, from = 0, to = bytes.length): void {
    this.tag(field, 2);
    this.varint(to - from);
    this.#room(to - from);
    const target = this.#bytes;
    const at = this.length - from;
    // A loop is faster than a call for a few bytes.
    if (to - from < 64) for (let n = from; n < to; n++) target[at + n] = bytes[n]!;
    else target.set(from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to), this.length);
    this.length += to - from;
  }

  /** A message or packed values that another writer holds. */
  nested(field: number, inner: ProtobufWriter): void {
    this.bytes(field, inner.#bytes, 0, inner.length);
  }

  text(field: number, text: string): void {
    this.bytes(field, Buffer.from(text));
  }
}
