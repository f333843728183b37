import { type ArchiveDescription, ArchiveWriter } from '../../formats/io/pmtiles/archive-writer.ts';
import { ScratchFile } from '../../formats/io/scratch-file.ts';
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
  await using spool = await ScratchFile.create(scratch);
  const archive = new ArchiveWriter(spool.sink);
  await fill(archive);
  const head = archive.head(described);
  await using file = await spool.open();
  const pieces: { offset: number; length: number }[] = [{ offset: -1, length: head.length }];
  for (let offset = 0; offset < archive.size; offset += pieceBytes)
    pieces.push({ offset, length: Math.min(pieceBytes, archive.size - offset) });
  await zip.addStored(name, pieces, async ({ offset, length }) => (offset < 0 ? head : file.read(offset, length)));
  return archive.size;
}
