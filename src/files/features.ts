/*
 * Random access to the features of a FlatGeobuf file: its header, the search in its spatial index, features by number;
 * and features as GeoJSON.
 */

export { keysOf, putFeature, unwritable } from './formats/geojson/feature-writer.ts';
export { GeometryWriter, type Precision } from './formats/geojson/geometry-writer.ts';
export {
  type FeatureBlock,
  foundBlocks,
  type Placed,
  type Position,
  scanBlocks,
} from './formats/io/flatgeobuf/feature-blocks.ts';
export { FeatureReader } from './formats/io/flatgeobuf/feature-reader.ts';
export { InvalidRecord } from './formats/io/flatgeobuf/flat-table.ts';
export { crsOf, headerCrs } from './formats/io/flatgeobuf/header-crs.ts';
export { type Header, readHeader } from './formats/io/flatgeobuf/header-reader.ts';
export {
  type Found,
  findByNumber,
  type Indexed,
  searchIndex,
  searchLeaves,
} from './formats/io/flatgeobuf/index-search.ts';
export type { Area } from './formats/io/flatgeobuf/schema.ts';
