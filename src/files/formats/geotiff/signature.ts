import { type FileFormat, hasFile, starts } from '../file-format.ts';

export const geoTiffFormat: FileFormat = {
  format: 'geotiff',
  extensions: ['.tif', '.tiff'],
  recognise: (head) =>
    starts(head, 'II*\0', 'MM\0*', 'II+\0', 'MM\0+') ? { format: 'geotiff', name: 'a TIFF file (GeoTIFF)' } : undefined,
  recogniseZip: (names) =>
    hasFile(names, '.tif', '.tiff') ? { format: 'geotiff', name: 'a zip with TIFF images (GeoTIFF)' } : undefined,
};
