import { rename } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import type { ByteSource } from '../../data/bytes.ts';
import { ConversionError, FormatError } from '../../errors.ts';
import { type Context, type Read, SEVERAL_LAYERS } from '../define.ts';
import { newFolder, readByGdal } from '../io/gdal/features.ts';
import { shown, type ZipEntry, zipEntries } from '../io/zip.ts';
import { checkUnpackedSize, unpackEntry } from '../io/zip-entry.ts';
import type { readParameters } from './parameters.ts';

const companions = new Set(['.tab', '.dat', '.map', '.id', '.ind', '.dbf', '.mif', '.mid']);
const stemOf = (name: string): string => name.slice(0, name.length - extname(name).length).toLowerCase();
const isMain = ({ name }: ZipEntry): boolean => /\.(?:tab|mif)$/i.test(name);

export const read: Read<typeof readParameters> = async (source, { SRID, Layer }, context) => {
  const { path, name } = await unpackTable(source, Layer, context);
  context.reportLoss('Symbols, pens and brushes of the table were left out.');
  return readByGdal({ path, driver: 'MapInfo File' }, { name, srid: SRID }, context);
};

/** Unpacks the files of a table of the zip: the path of its main one, and its name. */
async function unpackTable(
  zip: ByteSource,
  wanted: string | undefined,
  context: Context,
): Promise<{ path: string; name: string }> {
  const entries = await zipEntries(zip);
  const main = chosenTable(entries.filter(isMain), wanted);
  const own = entries.filter(
    ({ name }) => stemOf(name) === stemOf(main.name) && companions.has(extname(name).toLowerCase()),
  );
  await checkUnpackedSize(own, context.scratch);
  const folder = await newFolder(context);
  // Names in the zip may hold anything.
  for (const entry of own)
    await rename(await unpackEntry(zip, entry, folder), join(folder, `table${extname(entry.name).toLowerCase()}`));
  return {
    path: join(folder, `table${extname(main.name).toLowerCase()}`),
    name: basename(main.name, extname(main.name)),
  };
}

function chosenTable(tables: readonly ZipEntry[], wanted: string | undefined): ZipEntry {
  const names = tables.map(({ name }) => shown(name.slice(0, -4))).join(', ');
  const found =
    wanted === undefined
      ? tables
      : tables.filter(({ name }) => [stemOf(name), stemOf(basename(name))].includes(wanted.toLowerCase()));
  if (tables.length === 0) throw new FormatError('The zip contains no MapInfo table (.tab or .mif).');
  if (found.length === 1) return found[0]!;
  if (wanted !== undefined)
    throw new ConversionError(`The zip has ${found.length} tables '${shown(wanted)}'. Its tables: ${names}.`);
  throw new ConversionError(`The zip has ${tables.length} tables. Choose one with Layer: ${names}.`, SEVERAL_LAYERS);
}
