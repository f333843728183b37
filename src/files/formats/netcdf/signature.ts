import type { ByteSource } from '../../data/bytes.ts';
import { type Detected, type FileFormat, latin1, starts } from '../file-format.ts';

export const netCdfFormat: FileFormat = {
  format: 'netcdf',
  extensions: ['.nc', '.nc4', '.cdf'],
  recognise(head) {
    return starts(head, 'CDF\x01', 'CDF\x02', 'CDF\x05') ? { format: 'netcdf', name: 'a NetCDF file' } : undefined;
  },
};

/** First bytes of HDF5, in which NetCDF-4 and others are stored. */
export const HDF5 = '\x89HDF\r\n\x1a\n';
/** Bytes in which names of attributes and links of the root stand. */
const searched = 1 << 20;

/** Formats in HDF5, by words of their attributes or links; the first that has one of them counts. */
const inHdf5: readonly { readonly words: RegExp; readonly detected: Detected }[] = [
  {
    words: /_NCProperties|_Netcdf4Dimid|_Netcdf4Coordinates|Conventions|DIMENSION_SCALE/,
    detected: { format: 'netcdf', name: 'a NetCDF-4 file' },
  },
];

/** The format of an HDF5 file, told by the names in its first megabyte. */
export async function detectHdf5(source: ByteSource): Promise<Detected> {
  const bytes = await source.read(0, searched);
  const text = latin1(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  const found = inHdf5.find(({ words }) => words.test(text));
  return found?.detected ?? { name: 'an HDF5 file without the attributes of NetCDF', maybe: 'netcdf' };
}
