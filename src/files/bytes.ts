/* Where bytes come from and go to: files, zips, buffers. */

export { pooledBytes } from './data/buffer-pool.ts';
export type { ByteSource } from './data/bytes.ts';
export { writeFully } from './data/write-fully.ts';
export { BufferedWriter } from './formats/io/buffered-writer.ts';
export { FileSink, FileSource } from './formats/io/bytes.ts';
export { packBlocks } from './formats/io/packed-blocks.ts';
export { zipEntries } from './formats/io/zip.ts';
export { UnpackedEntry } from './formats/io/zip-entry.ts';
export { ZipWriter } from './formats/io/zip-writer.ts';
