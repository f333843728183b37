import {
  type DrawnScheme,
  HALF_WORLD,
  type MatrixLimits,
  mercatorMatrices,
  resolutionOf,
  type TilesDescription,
  tilesWithin,
} from 'hydrofiles/tiles';
import { MEDIA_TYPES } from './media-types.ts';

/** Name of the matrices of all XYZ schemes that have every level. */
const QUAD = 'WebMercatorQuad';
const GOOGLE = 'urn:ogc:def:wkss:OGC:1.0:GoogleMapsCompatible';

export interface Capabilities {
  readonly serviceIdentification: { title: string; serviceType: 'OGC WMTS'; serviceTypeVersion: '1.0.0' };
  readonly operationsMetadata: { operations: { name: string; href: string; encodings: string[] }[] };
  readonly contents: { layers: Layer[]; tileMatrixSets: TileMatrixSet[] };
  readonly serviceMetadataUrl: string;
}

export interface Layer {
  readonly identifier: string;
  readonly title: string;
  readonly wgs84BoundingBox: { lowerCorner: number[]; upperCorner: number[] };
  readonly boundingBox: { crs: string; lowerCorner: number[]; upperCorner: number[] };
  readonly styles: { identifier: string; isDefault: boolean; legendUrls: { format: string; href: string }[] }[];
  readonly formats: string[];
  readonly dimensions: { identifier: string; uom: string; default: string; values: string[] }[];
  readonly tileMatrixSetLinks: { tileMatrixSet: string; tileMatrixSetLimits: MatrixLimits[] }[];
  readonly resourceUrls: { resourceType: 'tile'; format: string; template: string }[];
}

export interface TileMatrixSet {
  readonly identifier: string;
  readonly supportedCrs: string;
  readonly wellKnownScaleSet?: string;
  readonly tileMatrices: {
    identifier: string;
    scaleDenominator: number;
    topLeftCorner: number[];
    tileWidth: number;
    tileHeight: number;
    matrixWidth: number;
    matrixHeight: number;
  }[];
}

export interface TilesUrl {
  readonly name: string;
  /** Address of the tiles of the dataset. */
  readonly base: string;
  /** The query of a signed link, which all addresses carry. */
  readonly signature?: string | undefined;
}

/** The capabilities of the Web Map Tile Service of a dataset: a layer per scheme. */
export function describeCapabilities(description: TilesDescription, address: TilesUrl): Capabilities {
  const { tilingSchemes: schemes } = description;
  const { base, name } = address;
  const quad = quadLevels(schemes);
  const sets = new Map<string, TileMatrixSet>();
  for (const scheme of schemes) {
    const identifier = matrixSetOf(scheme, quad);
    if (!sets.has(identifier)) sets.set(identifier, matrixSet(identifier, scheme));
  }
  const href = `${base}/wmts?${address.signature === undefined ? '' : `${address.signature}&`}`;
  return {
    serviceIdentification: { title: name, serviceType: 'OGC WMTS', serviceTypeVersion: '1.0.0' },
    operationsMetadata: {
      operations: ['GetCapabilities', 'GetTile'].map((operation) => ({ name: operation, href, encodings: ['KVP'] })),
    },
    contents: {
      layers: schemes.map((scheme) => describeLayer(scheme, matrixSetOf(scheme, quad), description, address)),
      tileMatrixSets: [...sets.values()],
    },
    serviceMetadataUrl: signed(`${base}/wmts/1.0.0/WMTSCapabilities.xml`, address),
  };
}

/** The number of levels of the deepest XYZ scheme that has all from 0. */
const quadLevels = (schemes: readonly DrawnScheme[]): number =>
  Math.max(0, ...schemes.filter(isWhole).map(({ zoomLevels }) => zoomLevels.length));

const isWhole = ({ schemeType, zoomLevels }: DrawnScheme): boolean =>
  schemeType === 'XYZ' && zoomLevels.every((level, n) => level === n);

/** A layer has every matrix of its set, because clients take the finest one. */
export function matrixSetOf(scheme: DrawnScheme, quad: number): string {
  if (scheme.schemeType === 'WMTS') return scheme.schemeId;
  return isWhole(scheme) && scheme.zoomLevels.length === quad ? QUAD : `${QUAD}-${scheme.schemeId}`;
}

export const matrixSetNamed = (schemes: readonly DrawnScheme[], scheme: DrawnScheme): string =>
  matrixSetOf(scheme, quadLevels(schemes));

const urn = ({ srid, sridAuthName }: DrawnScheme): string => `urn:ogc:def:crs:${sridAuthName}::${srid}`;

/** x and y in the order of the authority. */
const ordered = ({ northFirst }: DrawnScheme, x: number, y: number): number[] => (northFirst ? [y, x] : [x, y]);

function matrixSet(identifier: string, scheme: DrawnScheme): TileMatrixSet {
  const { zoomLevels, scaleDenominators, matrixWidths, matrixHeights, tileWidth, tileHeight, topLeft } = scheme;
  return {
    identifier,
    supportedCrs: urn(scheme),
    ...(isWhole(scheme) ? { wellKnownScaleSet: GOOGLE } : {}),
    tileMatrices: zoomLevels.map((level, n) => ({
      identifier: String(level),
      scaleDenominator: scaleDenominators[n]!,
      topLeftCorner: ordered(scheme, ...topLeft),
      tileWidth,
      tileHeight,
      matrixWidth: matrixWidths[n]!,
      matrixHeight: matrixHeights[n]!,
    })),
  };
}

function describeLayer(
  scheme: DrawnScheme,
  tileMatrixSet: string,
  description: TilesDescription,
  address: TilesUrl,
): Layer {
  const { schemeId, itemName, outputType, box } = scheme;
  const [west, south, east, north] = description.geographicBox;
  const around = east > 180;
  const format = MEDIA_TYPES[outputType];
  const dimensions = describeDimensions(description);
  const root = `${address.base}/scheme/${schemeId}`;
  const queries = dimensions.map(({ identifier }) => `${identifier === 'Time' ? 'timeStep' : 'layer'}={${identifier}}`);
  const query = [...queries, ...(address.signature === undefined ? [] : [address.signature])].join('&');
  const legends = scheme.colors === undefined ? [] : [{ format: 'image/png', href: signed(`${root}/legend`, address) }];
  return {
    identifier: schemeId,
    title: `${schemeId}: ${itemName}`,
    wgs84BoundingBox: { lowerCorner: [around ? -180 : west, south], upperCorner: [around ? 180 : east, north] },
    boundingBox: {
      crs: urn(scheme),
      lowerCorner: ordered(scheme, box[0], box[1]),
      upperCorner: ordered(scheme, box[2], box[3]),
    },
    styles: [{ identifier: 'default', isDefault: true, legendUrls: legends }],
    formats: [format],
    dimensions,
    tileMatrixSetLinks: [{ tileMatrixSet, tileMatrixSetLimits: describeLimits(scheme) }],
    resourceUrls: [
      {
        resourceType: 'tile',
        format,
        template: `${root}/{TileMatrix}/{TileRow}/{TileCol}${query === '' ? '' : `?${query}`}`,
      },
    ],
  };
}

function describeDimensions({ timeStamps, layerIds }: TilesDescription): Layer['dimensions'] {
  const time = { identifier: 'Time', uom: 'ISO8601', default: timeStamps[0] ?? '', values: [...timeStamps] };
  const values = layerIds.map(String);
  return [
    ...(timeStamps.length > 0 ? [time] : []),
    ...(values.length > 0 ? [{ identifier: 'Elevation', uom: 'layer', default: values[0]!, values }] : []),
  ];
}

/** The rectangle of the tiles that may have data at any step. */
function describeLimits({ schemeType, zoomLevels, matrixWidths, matrixHeights, box }: DrawnScheme): MatrixLimits[] {
  return zoomLevels.map((level, n) => {
    const [west, south, east, north] = box;
    // Tiles are drawn to two pixels around the data.
    const margin = schemeType === 'XYZ' ? 2 * resolutionOf(mercatorMatrices, level) + 0.001 * (east - west) : 0;
    const range =
      schemeType === 'XYZ' && east - west < 2 * HALF_WORLD
        ? tilesWithin(mercatorMatrices, level, {
            west: west - margin,
            south: south - margin,
            east: east + margin,
            north: north + margin,
          })
        : undefined;
    return {
      tileMatrix: String(level),
      minTileRow: range?.firstRow ?? 0,
      maxTileRow: (range?.endRow ?? matrixHeights[n]!) - 1,
      minTileCol: range?.firstColumn ?? 0,
      maxTileCol: (range?.endColumn ?? matrixWidths[n]!) - 1,
    };
  });
}

const signed = (url: string, { signature }: TilesUrl): string =>
  signature === undefined ? url : `${url}?${signature}`;
