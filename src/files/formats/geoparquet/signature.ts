import { type FileFormat, starts } from '../file-format.ts';

export const geoParquetFormat: FileFormat = {
  format: 'geoparquet',
  extensions: ['.parquet', '.geoparquet'],
  recognise(head) {
    if (starts(head, 'PAR1')) return { format: 'geoparquet', name: 'a Parquet file' };
    return starts(head, 'PARE') ? { name: 'an encrypted Parquet file' } : undefined;
  },
};
