import type { ByteSource } from '../data/bytes.ts';
import type { GivenParameters } from '../formats/parameters.ts';

/** What a preview is drawn of. */
export interface PreviewInput {
  /** A local file. */
  readonly path?: string;
  /** Bytes that are read by range; needed without `path`. */
  readonly source?: ByteSource;
  /** Name of the reader of a file. Absent: the one that the content asks for. */
  readonly reader?: string;
  readonly parameters?: GivenParameters;
  /** Code of the coordinate system of data that have none of their own. */
  readonly srid?: number;
  /** Features that are indexed at most; more are a ConversionError with the code `NEEDS_STORE`. Absent: any number. */
  readonly mostIndexed?: number;
  /** Original name of the file: layers without a name of their own have it. */
  readonly name?: string;
  /** `store`: content of the platform, such as a Zarr store or FlatGeobuf, which is opened by its content. */
  readonly kind: 'file' | 'store';
  /** The same grid with fewer cells, as `overviewOf` makes it, of which zoom levels that need no more are drawn. */
  readonly overview?: Pick<PreviewInput, 'path' | 'source'>;
}

/** An item that tiles show, or a field of features. */
export interface PreviewItem {
  /** Number of the item as text, or `colors`: the picture in its own colours. */
  readonly id: string;
  readonly name: string;
  readonly unit?: string;
  /** Least and greatest value at the best step, as far as they are known. */
  readonly min?: number;
  readonly max?: number;
  /** Id of the item that is the northward (y) component of a vector, at the eastward (x) one. */
  readonly vector?: string;
}

export interface PreviewScheme {
  readonly item: string;
  /** `#RRGGBB` or `#RRGGBBAA`, spread evenly from `min` to `max`. Of the item `colors`: none. */
  readonly colors: readonly string[];
  readonly min: number;
  readonly max: number;
  /** Number of classes of one colour each. Absent: colours change continuously. */
  readonly steps?: number;
  readonly log: boolean;
}

/** Plain JSON that describes data and how they can be looked at. */
export interface PreviewDescription {
  readonly kind: 'grid' | 'mesh' | 'features' | 'series' | 'arrays';
  readonly items: readonly PreviewItem[];
  readonly steps: {
    readonly count: number;
    /** ISO 8601 on the data's own clock; a relative axis counts from 1970. */
    readonly first?: string;
    readonly last?: string;
    /** Seconds from each step to the next, if they are evenly spaced. */
    readonly spacing?: number;
    /** Times of all steps that are not evenly spaced, of at most 10,000. */
    readonly times?: readonly string[];
    /** The step with most data; the last of equals. */
    readonly best: number;
  };
  /** Layer 0 is the lowest. */
  readonly layers: { readonly count: number; readonly ids?: readonly number[]; readonly heights?: readonly number[] };
  /** Longitudes and latitudes; west is greater than east across the antimeridian. */
  readonly bbox?: readonly [west: number, south: number, east: number, north: number];
  readonly srid?: string;
  /** Cells of a layer of a grid, elements of a mesh, number of features. */
  readonly cells?: number;
  /** Cells of a layer of the coarsest picture of a grid: those of its overviews count. */
  readonly coarsest?: number;
  readonly scheme: PreviewScheme;
  readonly tiles: {
    readonly raster: boolean;
    /** Format of raster tiles, if there are none as `png`. */
    readonly picture?: 'webp';
    readonly values: boolean;
    readonly vector: boolean;
  };
  /** Why there are no tiles. */
  readonly reason?: string;
  /** The deepest zoom level of tiles. */
  readonly deepest: number;
}

export interface PreviewTile {
  /** `values`: Float32, little-endian, row by row from the top, NaN is no data; gzipped. */
  readonly format: 'png' | 'webp' | 'values';
  readonly z: number;
  readonly x: number;
  readonly y: number;
  /** Side of the tile in 256 pixels. */
  readonly scale: 1 | 2;
  /** Id or unique name. */
  readonly item: string;
  readonly step: number;
  readonly layer: number;
  readonly scheme: Pick<PreviewScheme, 'colors' | 'min' | 'max' | 'log' | 'steps'>;
}

/**
 * `elements`: cells with the attribute `value`, where a usual one has 4 pixels or more. `isolines`: lines with `level`.
 * `arrows`: points with `u`, `v`, `speed` and `direction`, in degrees clockwise from north.
 */
export const VECTOR_LAYERS = ['elements', 'isolines', 'arrows'] as const;
export type VectorLayer = (typeof VECTOR_LAYERS)[number];

/** A Mapbox Vector Tile of a grid or a mesh; of features it has the layer `features` with all attributes. */
export interface PreviewVectorTile extends Pick<PreviewTile, 'z' | 'x' | 'y' | 'item' | 'step' | 'layer'> {
  /** Absent: all that the data have. */
  readonly layers?: readonly VectorLayer[];
  /** Of isolines. Absent: the sides of the classes of the scheme, or round numbers in its range. */
  readonly levels?: readonly number[];
  readonly scheme: Pick<PreviewScheme, 'min' | 'max' | 'steps' | 'log'>;
}

/** Id of the item that is a picture in its own colours. */
export const OWN_COLOURS = 'colors';
