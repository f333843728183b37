/**
 * A pyramid of tile matrices: each level has pixels of half the size of the level above, from the same upper left
 * corner.
 */
export interface TileMatrices {
  readonly left: number;
  readonly top: number;
  readonly tileWidth: number;
  readonly tileHeight: number;
  /** Side of a pixel of level 0, in units of the coordinate system. */
  readonly coarsest: number;
  /** Size of the area that the matrices cover. */
  readonly width: number;
  readonly height: number;
}

/**
 * A window of square pixels, row 0 in the north. Pixels are counted from the corner of the matrices, so that a pixel
 * has exactly the same place in every window.
 */
export interface Lattice {
  /** Upper left corner of pixel (0, 0). */
  readonly left: number;
  readonly top: number;
  readonly size: number;
  /** The first pixel of the window. */
  readonly column: number;
  readonly row: number;
  readonly width: number;
  readonly height: number;
}

export type TileIndex = readonly [level: number, column: number, row: number];

/** Tiles from `firstColumn` and `firstRow` to the ends, which are exclusive. */
export interface TileRange {
  readonly firstColumn: number;
  readonly endColumn: number;
  readonly firstRow: number;
  readonly endRow: number;
}

/** Half the side of the square of Web Mercator, in metres. */
export const HALF_WORLD = Math.PI * 6378137;
/** Side of the tiles of Web Mercator in pixels. */
export const MERCATOR_TILE = 256;

export const mercatorMatrices: TileMatrices = {
  left: -HALF_WORLD,
  top: HALF_WORLD,
  tileWidth: MERCATOR_TILE,
  tileHeight: MERCATOR_TILE,
  coarsest: (2 * HALF_WORLD) / MERCATOR_TILE,
  width: 2 * HALF_WORLD,
  height: 2 * HALF_WORLD,
};

/** Web Mercator in tiles with sides of `256 · scale` pixels, for screens of more pixels. */
export const scaledMatrices = (scale: 1 | 2): TileMatrices =>
  scale === 1
    ? mercatorMatrices
    : {
        ...mercatorMatrices,
        tileWidth: scale * MERCATOR_TILE,
        tileHeight: scale * MERCATOR_TILE,
        coarsest: mercatorMatrices.coarsest / scale,
      };

export interface Box {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** Data whose pixels miss a whole one by less have no pixel more: corners are rounded. */
const slack = 1e-6;

/** Matrices from the corner of the data. The last level has pixels of `cell`; level 0 is the first of one tile. */
export function nativeMatrices(
  { west, south, east, north }: Box,
  cell: number,
  tile: { readonly tileWidth: number; readonly tileHeight: number },
): { matrices: TileMatrices; last: number } {
  const [width, height] = [east - west, north - south];
  const fits = (level: number) => {
    const size = cell * 2 ** level;
    return width / size <= tile.tileWidth + slack && height / size <= tile.tileHeight + slack;
  };
  let last = 0;
  while (!fits(last)) last++;
  return { matrices: { left: west, top: north, ...tile, coarsest: cell * 2 ** last, width, height }, last };
}

export const resolutionOf = ({ coarsest }: TileMatrices, level: number): number => coarsest / 2 ** level;

export const columnsOf = (matrices: TileMatrices, level: number): number =>
  Math.max(1, Math.ceil(matrices.width / resolutionOf(matrices, level) / matrices.tileWidth - slack));

export const rowsOf = (matrices: TileMatrices, level: number): number =>
  Math.max(1, Math.ceil(matrices.height / resolutionOf(matrices, level) / matrices.tileHeight - slack));

/** The tiles of a level that touch a box, clipped to the matrix. Undefined if there is none. */
export function tilesWithin(matrices: TileMatrices, level: number, box: Box): TileRange | undefined {
  const [across, down] = [matrices.tileWidth, matrices.tileHeight].map((n) => n * resolutionOf(matrices, level)) as [
    number,
    number,
  ];
  const firstColumn = Math.max(0, Math.floor((box.west - matrices.left) / across));
  const firstRow = Math.max(0, Math.floor((matrices.top - box.north) / down));
  const endColumn = Math.min(columnsOf(matrices, level), Math.ceil((box.east - matrices.left) / across));
  const endRow = Math.min(rowsOf(matrices, level), Math.ceil((matrices.top - box.south) / down));
  return firstColumn < endColumn && firstRow < endRow ? { firstColumn, endColumn, firstRow, endRow } : undefined;
}

export const tileCount = ({ firstColumn, endColumn, firstRow, endRow }: TileRange): number =>
  (endColumn - firstColumn) * (endRow - firstRow);

/** The pixels of whole tiles. */
export function latticeOf(matrices: TileMatrices, level: number, range: TileRange): Lattice {
  const { tileWidth, tileHeight, left, top } = matrices;
  return {
    left,
    top,
    size: resolutionOf(matrices, level),
    column: range.firstColumn * tileWidth,
    row: range.firstRow * tileHeight,
    width: (range.endColumn - range.firstColumn) * tileWidth,
    height: (range.endRow - range.firstRow) * tileHeight,
  };
}
