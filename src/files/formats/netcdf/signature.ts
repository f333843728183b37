import { type FileFormat, starts } from '../file-format.ts';

export const netCdfFormat: FileFormat = {
  format: 'netcdf',
  extensions: ['.nc', '.nc4', '.cdf'],
  recognise(head) {
    return starts(head, 'CDF\x01', 'CDF\x02', 'CDF\x05') ? { format: 'netcdf', name: 'a NetCDF file' } : undefined;
  },
};
