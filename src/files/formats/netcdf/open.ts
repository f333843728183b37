import type { ByteSource } from '../../data/bytes.ts';
import { FormatError } from '../../errors.ts';
import type { Context } from '../define.ts';
import { starts } from '../file-format.ts';
import { openClassic } from './classic/classic-file.ts';
import type { NetCdfFile } from './netcdf-file.ts';

/** Where the superblock of an HDF5 file may stand, behind a block of the user's. */
const superblocks = [0, 512, 1024, 2048, 4096];
const hdf5 = '\x89HDF\r\n\x1a\n';

/** The groups of a file of the classic format or of HDF5. */
export async function openNetCdf(source: ByteSource, context: Context): Promise<NetCdfFile> {
  if (source.size === 0) throw new FormatError('The file is empty.', 0);
  for (const offset of superblocks) {
    const bytes = await source.read(offset, 8);
    const head = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    if (offset === 0 && starts(head, 'CDF')) return openClassic(source);
    if (!starts(head, hdf5)) continue;
    const [{ openHdf5 }, { groupsOf }] = await Promise.all([
      import('../io/hdf5/library.ts'),
      import('./hdf5/hdf5-file.ts'),
    ]);
    return groupsOf(await openHdf5(source, context), source);
  }
  throw new FormatError("It is no NetCDF file: it begins neither with 'CDF' nor with the signature of HDF5.", 0);
}
