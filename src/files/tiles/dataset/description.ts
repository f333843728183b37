import type { Crs } from '../../data/crs-reference.ts';
import type { Affine, LayerAxis } from '../../data/grid.ts';
import type { EquidistantAxis, NonEquidistantAxis, TimeAxis } from '../../data/time-axis.ts';
import { FormatError } from '../../errors.ts';
import type { GeographicExtent } from '../../geo/crs/geographic-extent.ts';
import type { Box } from '../matrices.ts';
import type { ValuesDescription } from '../raster/values/item-values.ts';
import { problemOfDescription } from './check-description.ts';
import type { TilingScheme } from './schemes.ts';

/** Name of the entry of the zip with the `TilesDescription`. */
export const DESCRIPTION = 'tiles.json';

/** Several rectangles per matrix: a tile has data exactly if one of them has it. */
export interface MatrixLimits {
  readonly tileMatrix: string;
  readonly minTileRow: number;
  readonly maxTileRow: number;
  readonly minTileCol: number;
  readonly maxTileCol: number;
}

/** A scheme with the values that the data gave. */
export interface DrawnScheme
  extends Required<Omit<TilingScheme, 'minValue' | 'maxValue' | 'colors' | 'firstLevelOnRequest'>> {
  /** Zoom levels whose tiles are drawn at their first request. */
  readonly levelsOnRequest?: readonly number[];
  /** Source and values of the tiles that are drawn on request. */
  readonly drawnOf?: {
    /** Prefix of the entries with the values of the item. */
    readonly name: string;
    readonly values: ValuesDescription;
    readonly base: number;
    readonly boxes: readonly Box[];
  };
  /** Absent for rasters in their own colours. */
  readonly minValue?: number;
  readonly maxValue?: number;
  readonly colors?: readonly string[];
  readonly unit?: string;
  readonly resolutions: readonly number[];
  readonly scaleDenominators: readonly number[];
  readonly matrixWidths: readonly number[];
  readonly matrixHeights: readonly number[];
  readonly srid: number;
  readonly sridAuthName: string;
  /** Upper left corner of all matrices, x before y. */
  readonly topLeft: readonly [number, number];
  /** The authority writes northing or latitude first. */
  readonly northFirst: boolean;
  /** Bounding rectangle of the data in the coordinate system of the scheme: west, south, east, north. */
  readonly box: readonly [number, number, number, number];
  readonly hasLayers: boolean;
}

/** Metadata of a tiles dataset. */
export interface TilesDescription {
  readonly version: 1;
  /** West, south, east, north in degrees; longitudes run on across 180°. */
  readonly geographicBox: readonly [number, number, number, number];
  readonly nativeExtent: string;
  readonly wgS84Extent: string;
  readonly tilingSchemes: readonly DrawnScheme[];
  /** The schemes as they were asked for, for an update without any. */
  readonly askedSchemes?: readonly TilingScheme[];
  /** Absent: the tiles are older than appends of steps. */
  readonly source?: SourceDescription;
  readonly tileStorageSizeKB: number;
  readonly timeStamps: readonly string[];
  readonly layerIds: readonly number[];
  /** Heights of the layers, if they have the same everywhere. */
  readonly layerHeights?: readonly number[];
}

/** Source of the tiles, so that steps of the same source can be appended. */
export interface SourceDescription {
  readonly crs: Crs;
  readonly shape: SourceShape;
  /** Bounding box, as in `TileSource`. */
  readonly box: Box;
  readonly extent: GeographicExtent;
  readonly cell: number;
  readonly mercatorCell: number;
  readonly time?: StoredAxis;
  /** Descriptions of the values, by id of the scheme. */
  readonly values: Readonly<Record<string, ValuesDescription>>;
}

export type SourceShape =
  | {
      readonly kind: 'grid';
      readonly width: number;
      readonly height: number;
      readonly affine: Affine;
      readonly layers?: Pick<LayerAxis, 'count' | 'first' | 'spacing'>;
    }
  | {
      readonly kind: 'mesh';
      readonly layers: number;
      readonly elements: number;
      /** Digest of the nodes in single precision and of the elements. */
      readonly digest: string;
    };

/** A time axis as JSON has it. */
export type StoredAxis =
  | EquidistantAxis
  | (Omit<NonEquidistantAxis, 'offsets'> & { readonly offsets: readonly number[] });

export const storedAxis = (axis: TimeAxis): StoredAxis =>
  axis.spacing === 'equidistant' ? axis : { ...axis, offsets: [...axis.offsets] };
export const axisOf = (axis: StoredAxis): TimeAxis =>
  axis.spacing === 'equidistant' ? axis : { ...axis, offsets: Float64Array.from(axis.offsets) };

export interface TileSlice {
  readonly step: number;
  readonly layer: number;
}

/** Names of the entries of a slice. Scheme ids contain no `@`, so names of two schemes cannot collide. */
export const archiveName = (schemeId: string, { step, layer }: TileSlice, single: boolean): string =>
  single ? `${schemeId}.pmtiles` : `${schemeId}@step${step}-layer${layer}.pmtiles`;
export const limitsName = (schemeId: string, slice: TileSlice, single: boolean): string =>
  archiveName(schemeId, slice, single).replace(/pmtiles$/, 'limits.json');
export const emptyTileName = (schemeId: string): string => `${schemeId}.empty`;

export const isSingle = ({ timeStamps, layerIds }: Pick<TilesDescription, 'timeStamps' | 'layerIds'>): boolean =>
  timeStamps.length <= 1 && layerIds.length <= 1;

/** Maximum bytes of the text of a description; the API keeps the last used ones in memory. */
export const LONGEST_DESCRIPTION = 8 << 20;

/** @throws FormatError for a description that cannot be read again */
export function packDescription(description: TilesDescription): Buffer {
  const text = JSON.stringify(description);
  const bytes = Buffer.from(text);
  if (bytes.length > LONGEST_DESCRIPTION)
    throw new FormatError(
      `The description of the tiles has ${bytes.length} bytes; it may have ${LONGEST_DESCRIPTION}. Give fewer schemes, or fewer colors.`,
    );
  parseDescription(text);
  return bytes;
}

/** @throws FormatError if the text is no description */
export function parseDescription(text: string): TilesDescription {
  const parsed = parseJson(DESCRIPTION, text) as Partial<TilesDescription> | null;
  if (parsed?.version !== 1 || !Array.isArray(parsed.tilingSchemes))
    throw new FormatError(`${DESCRIPTION} of the tiles has version ${String(parsed?.version)}; 1 is supported.`);
  const problem = problemOfDescription(parsed);
  if (problem !== undefined) throw new FormatError(`${DESCRIPTION} of the tiles: ${problem}`);
  return parsed as TilesDescription;
}

/** @throws FormatError if the text is no list of limits of a scheme */
export function parseLimits(name: string, text: string, scheme: DrawnScheme): MatrixLimits[] {
  const parsed = parseJson(name, text);
  if (!Array.isArray(parsed)) throw new FormatError(`${name} of the tiles is no list.`);
  const matrices = new Map(
    scheme.zoomLevels.map((level, n) => [String(level), [scheme.matrixHeights[n]!, scheme.matrixWidths[n]!] as const]),
  );
  const isRun = (first: number | undefined, last: number | undefined, end: number) =>
    Number.isInteger(first) && Number.isInteger(last) && first! >= 0 && first! <= last! && last! < end;
  for (const [n, limits] of (parsed as (Partial<MatrixLimits> | null)[]).entries()) {
    const [height, width] = matrices.get(limits?.tileMatrix ?? '') ?? [0, 0];
    if (isRun(limits?.minTileRow, limits?.maxTileRow, height) && isRun(limits?.minTileCol, limits?.maxTileCol, width))
      continue;
    const given = JSON.stringify(limits).slice(0, 200);
    throw new FormatError(`${name} of the tiles: [${n}] is ${given}, which is no rectangle of a zoom level.`);
  }
  return parsed;
}

function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new FormatError(`${name} of the tiles is no JSON.`);
  }
}
