import type { OutputType } from '../files/tiles/raster/encode-tile.ts';

export const MEDIA_TYPES: Readonly<Record<OutputType, string>> = {
  PNG: 'image/png',
  WEBP: 'image/webp',
  RawData: 'application/octet-stream',
  BinnedData256: 'application/octet-stream',
};
