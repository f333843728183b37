/* Map tiles as they are stored: matrices, the description of a tiled dataset, archives (PMTiles). */

export { type StoredTile, TileArchive } from './formats/io/pmtiles/archive-reader.ts';
export { findProblem } from './tiles/dataset/check-tile.ts';
export { isUnzipped } from './tiles/dataset/describe-tiles.ts';
export {
  type DrawnScheme,
  isSingle,
  type MatrixLimits,
  type TileSlice,
  type TilesDescription,
} from './tiles/dataset/description.ts';
export { AGGREGATION_METHODS, DEEPEST, SCHEME_TYPES } from './tiles/dataset/schemes.ts';
export { StoredTiles } from './tiles/dataset/stored-tiles.ts';
export { HALF_WORLD, mercatorMatrices, resolutionOf, type TileIndex, tilesWithin } from './tiles/matrices.ts';
export { OUT_OF_RANGE, OUTPUT_TYPES, type OutputType } from './tiles/raster/encode-tile.ts';
export { colourAt, parseColour } from './tiles/raster/ramp.ts';
export { type TileKey, tileFieldKind } from './tiles/vector/tile-values.ts';
export { mercatorX, mercatorYOnMap } from './tiles/web-mercator.ts';
