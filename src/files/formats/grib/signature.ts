import { type FileFormat, starts } from '../file-format.ts';

export const gribFormat: FileFormat = {
  format: 'grib',
  extensions: ['.grib', '.grib2', '.grb', '.grb2'],
  recognise: (head) => (starts(head, 'GRIB') ? { format: 'grib', name: 'a GRIB file' } : undefined),
};
