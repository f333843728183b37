/** Random access to the bytes of an input. `read` returns fewer bytes than `length` only at the end of the source. */
export interface ByteSource {
  readonly size: number;
  /** For local files: where the file is, for a library that opens it itself. */
  readonly path?: string;
  read(offset: number, length: number): Promise<Uint8Array>;
  /** For local files: keeps the file open during the work, so that another thread can read from its descriptor. */
  lend?<T>(work: (descriptor: number) => Promise<T>): Promise<T>;
  /** For local files: fills the target at once, for a library that cannot wait. Returns the number of bytes read. */
  readNow?(target: Uint8Array, offset: number): number;
}

/** The output of a writer. `append` may be called before the previous call has resolved; the order is kept. */
export interface ByteSink {
  /** Bytes appended so far. */
  readonly position: number;
  /** Resolves once the write buffer has room. Takes ownership of `bytes`: do not change them afterwards. */
  append(bytes: Uint8Array): Promise<void>;
  /** Overwrites appended bytes. */
  patch(offset: number, bytes: Uint8Array): Promise<void>;
  /** Discards all bytes that were appended. */
  restart(): Promise<void>;
}

/** A file that is copied, not parsed. */
export interface Bytes {
  readonly kind: 'bytes';
  readonly source: ByteSource;
}
