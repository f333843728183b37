/** Units of a side of a vector tile. */
export const EXTENT = 4096;
/** Units around a tile that are drawn too. */
export const BUFFER = 64;

/** 1 points, 2 lines, 3 polygons. */
export type TileGeometryType = 1 | 2 | 3;
