/** Little-endian numbers, as HDF5 stores them. */
export function u8(...values: number[]): Buffer {
  return Buffer.from(values);
}

export function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

export function u32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [n, value] of values.entries()) bytes.writeUInt32LE(value, 4 * n);
  return bytes;
}

export function u64(...values: number[]): Buffer {
  const bytes = Buffer.alloc(8 * values.length);
  for (const [n, value] of values.entries())
    if (value === UNDEFINED) bytes.fill(0xff, 8 * n, 8 * n + 8);
    else bytes.writeBigUInt64LE(BigInt(value), 8 * n);
  return bytes;
}

/** No address, or no limit of a dimension: all bits are set. */
export const UNDEFINED = -1;
