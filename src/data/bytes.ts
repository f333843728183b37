/** Random access to the bytes of an input. `read` gives fewer bytes than asked for only at the end of the source. */
export interface ByteSource {
  readonly size: number;
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** Where a writer puts its bytes. `append` may be called without waiting for the last one; order is kept. */
export interface ByteSink {
  /** Bytes appended so far. */
  readonly position: number;
  /** Waits only while too many bytes are on their way to the disk. The bytes belong to the sink from then on. */
  append(bytes: Uint8Array): Promise<void>;
  /** Changes bytes that were appended before. */
  patch(offset: number, bytes: Uint8Array): Promise<void>;
  /** Discards all bytes that were appended. */
  restart(): Promise<void>;
}

/** A file that is copied, not parsed. */
export interface Bytes {
  readonly kind: 'bytes';
  readonly source: ByteSource;
}
