/*
 * Random access to the features of a FlatGeobuf file: its header, the search in its spatial index, features by number;
 * and features as GeoJSON.
 */

export {
  type FeatureBlock,
  foundBlocks,
  type Placed,
  type Position,
  scanBlocks,
} from './formats/flatgeobuf/feature-blocks.ts';
export { FeatureReader } from './formats/flatgeobuf/feature-reader.ts';
export { InvalidRecord } from './formats/flatgeobuf/flat-table.ts';
export { crsOf, headerCrs } from './formats/flatgeobuf/header-crs.ts';
export { type Header, readHeader } from './formats/flatgeobuf/header-reader.ts';
export {
  type Found,
  findByNumber,
  type Indexed,
  searchIndex,
  searchLeaves,
} from './formats/flatgeobuf/index-search.ts';
export type { Area } from './formats/flatgeobuf/schema.ts';
export { keysOf, putFeature, unwritable } from './formats/geojson/feature-writer.ts';
export { GeometryWriter, type Precision } from './formats/geojson/geometry-writer.ts';
