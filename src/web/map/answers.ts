/** Answers of the API, as far as the page reads them. */

export interface TilingScheme {
  readonly schemeId: string;
  readonly schemeType: 'WMTS' | 'XYZ';
  readonly itemName: string;
  readonly unit?: string;
  readonly outputType: 'RawData' | 'BinnedData256' | 'PNG' | 'WEBP';
  readonly tileWidth: number;
  readonly tileHeight: number;
  readonly zoomLevels: readonly number[];
  readonly resolutions: readonly number[];
  readonly scaleDenominators: readonly number[];
  readonly matrixWidths: readonly number[];
  readonly matrixHeights: readonly number[];
  readonly minValue?: number;
  readonly maxValue?: number;
  readonly colors?: readonly string[];
  readonly srid: number;
  readonly sridAuthName: string;
  readonly topLeft: readonly [number, number];
}

export interface TileMetadata {
  readonly wgS84Extent: string;
  readonly tilingSchemes: readonly TilingScheme[];
  readonly timeStamps: readonly string[];
  readonly layerIds: readonly number[];
  readonly layerHeights?: readonly number[];
}

/** Points of a tile of Web Mercator in the coordinate system of a scheme, row by row; 1e12 far from the data. */
export interface MapNet {
  readonly side: number;
  readonly x: readonly number[];
  readonly y: readonly number[];
}

export interface Legend {
  readonly title: string;
  readonly unit?: string;
  readonly minValue: number;
  readonly maxValue: number;
  readonly colors: readonly string[];
}

export interface VectorTileJson {
  readonly name: string;
  readonly bounds: readonly [number, number, number, number];
  readonly maxzoom: number;
  /** Only for a mesh. */
  readonly timeStamps?: readonly string[];
  readonly layerIds?: readonly number[];
  readonly vector_layers: readonly {
    readonly id: string;
    readonly fields: Readonly<Record<string, 'Number' | 'Boolean' | 'String'>>;
  }[];
}

export interface MultidimensionalItem {
  readonly id: string;
  readonly name?: string;
  readonly unitSymbol?: string;
  readonly axes: readonly string[];
}

export interface MultidimensionalDataset {
  readonly name: string;
  readonly kind: 'grid' | 'mesh' | 'array';
  readonly items: readonly MultidimensionalItem[];
  readonly axes: readonly { readonly name: string; readonly length: number }[];
  readonly mesh?: { readonly layers?: number };
  readonly crs?: { readonly name: string; readonly srid?: string };
  readonly bbox?: readonly number[];
  readonly wgS84Extent?: string;
}

export interface ValueTable {
  readonly columns: readonly string[];
  readonly data: readonly (readonly (string | number | null)[])[];
}

export interface PreviewItem {
  readonly id: string;
  readonly name: string;
  readonly unit?: string;
  readonly min?: number;
  readonly max?: number;
}

/** What can be drawn of a dataset of any kind. */
export interface Preview {
  readonly state: 'building' | 'ready' | 'failed' | 'none';
  readonly progress?: number;
  readonly reason?: string;
  readonly kind?: 'grid' | 'mesh' | 'features' | 'series' | 'arrays';
  readonly items?: readonly PreviewItem[];
  readonly steps?: { readonly count: number; readonly best: number };
  readonly layers?: { readonly count: number; readonly heights?: readonly number[] };
  readonly bbox?: readonly [number, number, number, number];
  readonly scheme?: {
    readonly item: string;
    readonly colors: readonly string[];
    readonly min: number;
    readonly max: number;
  };
  readonly tiles?: { readonly raster?: string; readonly values?: string; readonly vector?: string };
  readonly deepest?: number;
}

/** Values of a preview at points. */
export interface PreviewValues {
  readonly time?: { readonly times?: readonly string[] };
  readonly points: readonly { readonly values?: readonly (readonly (number | null)[])[] }[];
}

/** The record of a dataset, which only callers with an account may read. */
export interface DatasetRecord {
  readonly name: string;
  readonly datasetType: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly spatialInformation?: { readonly location?: string };
}

export type LoginAnswer =
  | { readonly accessToken: { readonly token: string }; readonly refreshToken: { readonly token: string } }
  | {
      readonly otpRequired: boolean;
      readonly accessForbidden: boolean;
      readonly otpAuthenticatorIds: readonly string[];
    };

/** West, south, east, north of a polygon in WKT with longitude before latitude. */
export function boxOfWkt(wkt: string): [number, number, number, number] | undefined {
  const numbers = wkt.slice(wkt.indexOf('(')).replaceAll('(', '').replaceAll(')', '');
  const pairs = numbers.split(',').map((pair) => pair.trim().split(' ').map(Number));
  const [xs, ys] = [pairs.map(([x]) => x!), pairs.map(([, y]) => y!)];
  const box = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)] as [number, number, number, number];
  return box.every(Number.isFinite) ? box : undefined;
}
