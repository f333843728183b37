import type { ByteSource } from '../../data/bytes.ts';
import { FormatError } from '../../errors.ts';
import type { Context } from '../define.ts';
import { shown, zipEntries } from '../io/zip.ts';
import { checkUnpackedSize, UnpackedEntry } from '../io/zip-entry.ts';

/**
 * The KML of a file: itself, or of a KMZ `doc.kml`, else the first KML file in it.
 * @throws FormatError for a zip without one, or a zip bomb
 */
export async function kmlOf(source: ByteSource, context: Context): Promise<ByteSource> {
  const head = await source.read(0, 2);
  if (head[0] !== 0x50 || head[1] !== 0x4b) return source;
  const entries = await zipEntries(source);
  const documents = entries.filter(({ name }) => name.toLowerCase().endsWith('.kml'));
  const entry = documents.find(({ name }) => name.toLowerCase() === 'doc.kml') ?? documents[0];
  if (entry === undefined) throw new FormatError('The zip contains no KML file (.kml).');
  if (entries.length > 1)
    context.reportLoss(`Of ${entries.length} files in the KMZ only '${shown(entry.name)}' was read.`);
  await checkUnpackedSize([entry], context.scratch);
  const file = await UnpackedEntry.open(source, entry, context.scratch);
  context.onEnd(() => file.close());
  return file;
}
