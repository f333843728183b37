/** Big-endian numbers of a section, at octets that the manual of the WMO counts from 1. */
export class Octets {
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get length(): number {
    return this.#bytes.length;
  }

  /** The bytes from an octet on. */
  from(octet: number, length?: number): Buffer {
    return this.#bytes.subarray(octet - 1, length === undefined ? undefined : octet - 1 + length);
  }

  unsigned(octet: number, octets: 1 | 2 | 3 | 4): number {
    return this.#bytes.readUIntBE(octet - 1, octets);
  }

  /** The first bit is the sign, the others the absolute value. */
  signed(octet: number, octets: 1 | 2 | 3 | 4): number {
    const value = this.unsigned(octet, octets);
    const sign = 2 ** (8 * octets - 1);
    return value >= sign ? sign - value : value;
  }

  long(octet: number): number {
    return Number(this.#bytes.readBigUInt64BE(octet - 1));
  }

  /** IEEE 754, single precision. */
  single(octet: number): number {
    return this.#bytes.readFloatBE(octet - 1);
  }

  /** Floating point of IBM's System/360, single precision. */
  ibm(octet: number): number {
    const first = this.unsigned(octet, 1);
    const fraction = this.unsigned(octet + 1, 3);
    return (first >= 128 ? -1 : 1) * fraction * 2 ** (4 * ((first & 127) - 64) - 24);
  }

  /** A scale factor and a scaled value; undefined if they are missing. */
  scaled(octet: number): number | undefined {
    const factor = this.unsigned(octet, 1);
    const value = this.unsigned(octet + 1, 4);
    if (factor === 255 || value === 0xffffffff) return undefined;
    const exponent = this.signed(octet, 1);
    const number = this.signed(octet + 1, 4);
    return exponent >= 0 ? number / 10 ** exponent : number * 10 ** -exponent;
  }
}
