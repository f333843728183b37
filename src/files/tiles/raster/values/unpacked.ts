import { gunzipSync } from 'node:zlib';

/** Bytes beyond its output that zlib needs to finish in one piece. */
const slack = 64;

/** Unpacks bytes whose number is known. More of them are an error of zlib, fewer are returned. */
export const unpacked = (packed: Uint8Array, size: number): Buffer =>
  gunzipSync(packed, { maxOutputLength: size, chunkSize: size + slack });
