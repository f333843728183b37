import type { ByteSource } from '../../../data/bytes.ts';
import { type Detected, latin1 } from '../../file-format.ts';

/** First bytes of HDF5, in which several formats are stored. */
export const HDF5 = '\x89HDF\r\n\x1a\n';
/** Bytes in which names of attributes and links of the root stand. */
const searched = 1 << 20;

/** Formats in HDF5, by words of their attributes or links; the first that has one of them counts. */
const inHdf5: readonly { readonly words: RegExp; readonly detected: Detected }[] = [
  {
    words: /HEC-RAS (?:Results|Geometry|Unsteady)|2D Flow Areas/,
    detected: { format: 'hecras', name: 'an HDF5 file of HEC-RAS' },
  },
  {
    words: /_NCProperties|_Netcdf4Dimid|_Netcdf4Coordinates|Conventions|DIMENSION_SCALE/,
    detected: { format: 'netcdf', name: 'a NetCDF-4 file' },
  },
];

/** The format of an HDF5 file, told by the names in its first and last megabyte: headers stand at either end. */
export async function detectHdf5(source: ByteSource): Promise<Detected> {
  for (const offset of new Set([0, Math.max(0, source.size - searched)])) {
    const bytes = await source.read(offset, searched);
    const text = latin1(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
    const found = inHdf5.find(({ words }) => words.test(text));
    if (found !== undefined) return found.detected;
  }
  return { name: 'an HDF5 file without the attributes of NetCDF', maybe: 'netcdf' };
}
