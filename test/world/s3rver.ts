import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import S3rver from 's3rver';
import FilesystemStore from 's3rver/lib/stores/filesystem.js';

// An S3 server answers when it has an object. This one answered when it had heard the last byte: on a busy machine,
// the written object was missing or incomplete.
FilesystemStore.prototype.putObject = async function (this: FilesystemStore, { bucket, key, content, metadata }) {
  const stored = await write(this.getResourcePath(bucket, key, 'object'), content);
  await this.putMetadata(bucket, key, metadata, stored.md5);
  return stored;
};
FilesystemStore.prototype.putPart = async function (this: FilesystemStore, bucket, uploadId, partNumber, content) {
  const path = join(this.getResourcePath(bucket, undefined, 'uploads'), uploadId, String(partNumber));
  const stored = await write(path, content);
  await writeFile(`${path}.md5`, stored.md5);
  return stored;
};

/** Ends when all bytes are in the file. */
async function write(path: string, content: Buffer | Readable) {
  await mkdir(dirname(path), { recursive: true });
  const md5 = createHash('md5');
  let size = 0;
  async function* counted(chunks: AsyncIterable<Buffer> | Iterable<Buffer>) {
    for await (const chunk of chunks) {
      md5.update(chunk);
      size += chunk.length;
      yield chunk;
    }
  }
  await pipeline(Buffer.isBuffer(content) ? [content] : content, counted, createWriteStream(path));
  return { size, md5: md5.digest('hex') };
}

/** The S3 server of the tests. */
export default S3rver;
