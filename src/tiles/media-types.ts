import type { OutputType } from 'hydrofiles/tiles';

export const VECTOR_TILE_TYPE = 'application/vnd.mapbox-vector-tile';

export const MEDIA_TYPES: Readonly<Record<OutputType, string>> = {
  PNG: 'image/png',
  WEBP: 'image/webp',
  RawData: 'application/octet-stream',
  BinnedData256: 'application/octet-stream',
};
