import type { TilingScheme } from './answers.ts';

/** Half the side of the world in Web Mercator, in metres. */
export const WORLD = 20_037_508.342789244;
const WEB_MERCATOR = [3857, 900913, 3785, 102100, 102113];

export interface Level {
  readonly id: number;
  /** Side of a pixel in units of the coordinate system. */
  readonly resolution: number;
  /** Side of a pixel on the map, in metres of Web Mercator. */
  readonly shown: number;
  readonly columns: number;
  readonly rows: number;
}

/** Tile matrices. */
export interface TileGrid {
  /** Whether they are in Web Mercator. */
  readonly isMercator: boolean;
  readonly left: number;
  readonly top: number;
  readonly tileWidth: number;
  readonly tileHeight: number;
  /** The level of least detail comes first. */
  readonly levels: readonly Level[];
}

/** A scheme with its matrices. */
export interface MapScheme {
  readonly scheme: TilingScheme;
  readonly grid: TileGrid;
}

/** Metres of a pixel of the WMTS standard. */
const STANDARD_PIXEL = 0.00028;

/**
 * The matrices of a scheme.
 * @param latitude of the middle of the data
 */
export function gridOf(scheme: TilingScheme, latitude = 0): TileGrid {
  const isMercator = WEB_MERCATOR.includes(scheme.srid);
  // Web Mercator shows lengths larger towards the poles.
  const stretch = 1 / Math.cos((Math.min(85, Math.abs(latitude)) * Math.PI) / 180);
  const [left, top] = scheme.schemeType === 'XYZ' ? [-WORLD, WORLD] : scheme.topLeft;
  const levels = scheme.zoomLevels.map((id, n) => ({
    id,
    resolution: scheme.resolutions[n]!,
    shown: isMercator ? scheme.resolutions[n]! : scheme.scaleDenominators[n]! * STANDARD_PIXEL * stretch,
    columns: scheme.matrixWidths[n]!,
    rows: scheme.matrixHeights[n]!,
  }));
  return { isMercator, left, top, tileWidth: scheme.tileWidth, tileHeight: scheme.tileHeight, levels };
}

/** Side of a pixel of 256 in a tile of the map. */
export const mapResolution = (zoom: number): number => (2 * WORLD) / 256 / 2 ** zoom;

/** The level with the least detail that is not coarser than asked for, else the last one. */
export function levelFor({ levels }: TileGrid, resolution: number): Level {
  return levels.find((level) => level.shown <= resolution * 1.001) ?? levels.at(-1)!;
}

/** Whether the tile of the map is a tile of the scheme. */
export function isMapTile(grid: TileGrid, zoom: number): boolean {
  const level = levelFor(grid, mapResolution(zoom));
  return (
    grid.isMercator &&
    grid.left === -WORLD &&
    grid.top === WORLD &&
    grid.tileWidth === 256 &&
    grid.tileHeight === 256 &&
    Math.abs(level.resolution / mapResolution(zoom) - 1) < 1e-6
  );
}

/**
 * Zoom levels of the map between which tiles are asked for. Above the first, a tile would need too many of the scheme.
 */
export function zoomRange({ levels }: TileGrid): { minzoom: number; maxzoom: number } {
  const zoomOf = (resolution: number) => Math.log2((2 * WORLD) / 256 / resolution);
  const first = zoomOf(levels[0]!.shown);
  return {
    minzoom: Math.max(0, levels[0]!.columns * levels[0]!.rows === 1 ? 0 : Math.floor(first + 1e-6) - 2),
    maxzoom: Math.max(0, Math.min(24, Math.ceil(zoomOf(levels.at(-1)!.shown) - 1e-6))),
  };
}

export interface Piece {
  readonly column: number;
  readonly row: number;
  /** Where its upper left corner and its lower right corner lie in the tile of the map, in pixels. */
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The tiles of a level that a tile of the map shows. */
export function piecesOf(grid: TileGrid, level: Level, zoom: number, x: number, y: number, size = 256): Piece[] {
  const metres = mapResolution(zoom) * (256 / size);
  const [west, north] = [-WORLD + x * size * metres, WORLD - y * size * metres];
  const [width, height] = [grid.tileWidth * level.resolution, grid.tileHeight * level.resolution];
  const within = (value: number, count: number) => Math.min(count - 1, Math.max(0, value));
  const first = Math.floor((west - grid.left) / width);
  const last = Math.ceil((west + size * metres - grid.left) / width) - 1;
  const upper = Math.floor((grid.top - north) / height);
  const lower = Math.ceil((grid.top - north + size * metres) / height) - 1;
  if (last < 0 || lower < 0 || first >= level.columns || upper >= level.rows) return [];
  const pieces: Piece[] = [];
  for (let row = within(upper, level.rows); row <= within(lower, level.rows); row++)
    for (let column = within(first, level.columns); column <= within(last, level.columns); column++)
      pieces.push({
        column,
        row,
        left: (grid.left + column * width - west) / metres,
        right: (grid.left + (column + 1) * width - west) / metres,
        top: (north - grid.top + row * height) / metres,
        bottom: (north - grid.top + (row + 1) * height) / metres,
      });
  return pieces;
}

/** Web Mercator of degrees. */
export function metresOf(longitude: number, latitude: number): [number, number] {
  const wrapped = ((((longitude + 180) % 360) + 360) % 360) - 180;
  const phi = (latitude * Math.PI) / 180;
  return [(wrapped / 180) * WORLD, (Math.asinh(Math.tan(phi)) / Math.PI) * WORLD];
}

/** The tile and pixel of a level that hold a place; undefined outside of the matrix. */
export function pixelAt(grid: TileGrid, level: Level, longitude: number, latitude: number) {
  return pixelOf(grid, level, metresOf(longitude, latitude));
}

/** The tile and pixel of a level that hold a point of the coordinate system; undefined outside of the matrix. */
export function pixelOf(grid: TileGrid, level: Level, [x, y]: readonly [number, number]) {
  const [across, down] = [(x - grid.left) / level.resolution, (grid.top - y) / level.resolution];
  const [column, row] = [Math.floor(across / grid.tileWidth), Math.floor(down / grid.tileHeight)];
  if (column < 0 || row < 0 || column >= level.columns || row >= level.rows) return undefined;
  return {
    column,
    row,
    x: Math.min(grid.tileWidth - 1, Math.floor(across - column * grid.tileWidth)),
    y: Math.min(grid.tileHeight - 1, Math.floor(down - row * grid.tileHeight)),
  };
}
