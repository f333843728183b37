import { BLOB_LIST, BlobEntry, type Manifest, tableName } from './manifest.ts';
import { readPacked } from './packed-file.ts';
import type { Target } from './target.ts';

/** The blobs of a backup, by name. Throws `DamagedFile`. */
export async function* readBlobList(
  { store }: Target,
  { id, blobs }: Manifest,
  signal: AbortSignal,
): AsyncGenerator<BlobEntry> {
  if (blobs === undefined) return;
  const what = `The list of blobs of the backup ${id}`;
  const bytes = readPacked(store, tableName(id, BLOB_LIST), { what, expected: blobs }, signal);
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of bytes) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield BlobEntry.parse(JSON.parse(line));
  }
}
