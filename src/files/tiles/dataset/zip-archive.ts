import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FileSink, FileSource } from '../../formats/io/bytes.ts';
import { type ArchiveDescription, ArchiveWriter } from '../../formats/io/pmtiles/archive-writer.ts';
import type { ZipWriter } from '../../formats/io/zip-writer.ts';

/** Takes a packed tile. */
export type AddTile = (level: number, column: number, row: number, bytes: Uint8Array) => Promise<void>;

const pieceBytes = 1 << 20;

/**
 * Adds a PMTiles archive to a zip. Its tiles are spooled, because the directories come before them. Returns the bytes
 * of the tiles.
 */
export async function addArchive(
  zip: ZipWriter,
  name: string,
  scratch: string,
  described: ArchiveDescription,
  fill: (archive: ArchiveWriter) => Promise<void>,
): Promise<number> {
  const path = join(scratch, `${randomUUID()}.spool`);
  const spool = await FileSink.create(path, { checksum: false });
  try {
    const archive = new ArchiveWriter(spool);
    await fill(archive);
    await spool.flush();
    await addSpooled(zip, name, archive.head(described), { path, size: archive.size });
    return archive.size;
  } finally {
    await spool.close();
    await rm(path, { force: true });
  }
}

async function addSpooled(zip: ZipWriter, name: string, head: Uint8Array, spool: { path: string; size: number }) {
  await using file = await FileSource.open(spool.path, { checksum: false });
  const pieces: { offset: number; length: number }[] = [{ offset: -1, length: head.length }];
  for (let offset = 0; offset < spool.size; offset += pieceBytes)
    pieces.push({ offset, length: Math.min(pieceBytes, spool.size - offset) });
  await zip.addStored(name, pieces, async ({ offset, length }) => (offset < 0 ? head : file.read(offset, length)));
}
