import type { Box } from '../../../data/box.ts';
import type { GeometryType } from '../../../data/feature-collection.ts';

/** A rectangle in the coordinate system of the file. */
export type Area = Pick<Box, 'west' | 'south' | 'east' | 'north'>;

/** `fgb`, the major version 3, `fgb`; then comes a byte with the patch version. */
export const magic = Buffer.from([0x66, 0x67, 0x62, 3, 0x66, 0x67, 0x62]);
export const patchVersion = 1;
/** Bytes of the magic and the patch version. */
export const magicLength = 8;
/** Maximum size of a header in bytes, as in GDAL. */
export const maxHeader = 10 << 20;
/** Maximum size of a feature, which is held in memory. */
export const maxFeature = 1 << 30;
export const nodeSize = 16;
/** Bytes of a node of the index: west, south, east, north, offset. */
export const nodeBytes = 40;
/** Nesting of geometry collections. */
export const maxNesting = 32;

/** Slots of the tables of the FlatBuffers schema. */
export const headerSlots = {
  name: 0,
  envelope: 1,
  geometryType: 2,
  hasZ: 3,
  hasM: 4,
  columns: 7,
  featuresCount: 8,
  indexNodeSize: 9,
  crs: 10,
} as const;
export const columnSlots = { name: 0, type: 1, width: 4, precision: 5, metadata: 10 } as const;
export const crsSlots = { org: 0, code: 1, name: 2, wkt: 4, codeString: 5 } as const;
export const geometrySlots = { ends: 0, xy: 1, z: 2, m: 3, type: 6, parts: 7 } as const;
export const featureSlots = { geometry: 0, properties: 1, columns: 2 } as const;

/** Codes of geometry types; 0 is "any type". */
export const geometryCodes: Readonly<Record<GeometryType, number>> = {
  Point: 1,
  LineString: 2,
  Polygon: 3,
  MultiPoint: 4,
  MultiLineString: 5,
  MultiPolygon: 6,
  GeometryCollection: 7,
};

/** Surfaces of straight edges are read as polygons; curves cannot be read. */
export const geometryTypesByCode: Readonly<Record<number, GeometryType>> = {
  ...Object.fromEntries(Object.entries(geometryCodes).map(([type, code]) => [code, type as GeometryType])),
  15: 'MultiPolygon',
  16: 'MultiPolygon',
  17: 'Polygon',
};

export const columnTypes = {
  Byte: 0,
  UByte: 1,
  Bool: 2,
  Short: 3,
  UShort: 4,
  Int: 5,
  UInt: 6,
  Long: 7,
  ULong: 8,
  Float: 9,
  Double: 10,
  String: 11,
  Json: 12,
  DateTime: 13,
  Binary: 14,
} as const;

/** Bytes of a value by type of column; 0: a length (four bytes), then as many bytes. */
export const valueBytes: readonly number[] = [1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 0, 0, 0, 0];

/** Metadata (JSON) of columns that hold what the schema has no type for: dates without time, and ids of features. */
export const dateMetadata = '{"type":"date"}';
export const idMetadata = '{"role":"featureId"}';

/** Number of nodes of each level of an index, the leaves first. */
export function levelSizes(features: number, size = nodeSize): number[] {
  const levels = [features];
  let count = features;
  do {
    count = Math.ceil(count / size);
    levels.push(count);
  } while (count > 1);
  return levels;
}
