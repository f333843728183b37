/** How the stored values of a column become those of the caller. */
export interface LeafType {
  readonly type: number;
  /** Bytes of a value of fixed length. */
  readonly length: number;
  /** Of numbers and booleans; 64-bit integers that a double cannot hold are bigints. Absent: as they are. */
  readonly number?: (value: number | bigint | boolean) => unknown;
  /** Of bytes. */
  readonly bytes?: (bytes: Buffer, start: number, end: number) => unknown;
  /** Each value is made anew, because callers may change it. */
  readonly fresh?: true;
}

/** Decodes the values of a page, which has no nulls, in pieces. */
export interface ValueDecoder {
  read(target: unknown[], from: number, count: number): void;
}

export const same = (value: unknown): unknown => value;
export const nothing = (): unknown => null;
