import type { FileHandle } from 'node:fs/promises';

/**
 * Writes all bytes at this offset. A single write may write fewer bytes without an error, as it does when the disk
 * becomes full; the next one then throws.
 */
export async function writeFully(file: FileHandle, offset: number, bytes: Uint8Array): Promise<void> {
  let done = 0;
  while (done < bytes.length) done += (await file.write(bytes, done, bytes.length - done, offset + done)).bytesWritten;
}
