/** Writes the wire format of protocol buffers. */
export class ProtobufWriter {
  #bytes = new Uint8Array(1 << 12);
  #view = new DataView(this.#bytes.buffer);
  /** Set it to 0 to begin anew. */
  length = 0;
  /** For packed values, used again and again. */
  #inner: ProtobufWriter | undefined;

  taken(): Uint8Array {
    return this.#bytes.subarray(0, this.length);
  }

  #room(count: number): void {
    if (this.length + count <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(2 * this.#bytes.length, this.length + count));
    larger.set(this.taken());
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }

  varint(value: number): void {
    this.#room(10);
    let left = value;
    for (; left >= 0x80; left = Math.floor(left / 0x80)) this.#bytes[this.length++] = (left % 0x80) | 0x80;
    this.#bytes[this.length++] = left;
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

  bytes(field: number, bytes: Uint8Array): void {
    this.tag(field, 2);
    this.varint(bytes.length);
    this.#room(bytes.length);
    this.#bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  text(field: number, text: string): void {
    this.bytes(field, Buffer.from(text));
  }

  packed(field: number, values: ArrayLike<number>): void {
    this.#inner ??= new ProtobufWriter();
    this.#inner.length = 0;
    for (let n = 0; n < values.length; n++) this.#inner.varint(values[n]!);
    this.bytes(field, this.#inner.taken());
  }
}
