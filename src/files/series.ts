/* Time series as packed blocks of rows, and a file of them. */

export {
  BLOCK_VALUES,
  cellAt,
  decodeBlock,
  encodeBlock,
  openBlock,
  type PackedBlock,
  type PackedColumn,
} from './formats/ts/block.ts';
export { SERIES_FORMAT } from './formats/ts/content.ts';
export {
  FIELD_TYPES,
  KINDS,
  kindsOf,
  MAX_NAME,
  MAX_PROPERTIES,
  nameTwice,
  PROPERTY_TYPES,
  SERIES_TYPES,
  type SeriesDefinition,
  VALUE_TYPES,
} from './formats/ts/definition.ts';
export { itemOf } from './formats/ts/item.ts';
export { append, type Cell, emptyRows, type Kind, type Rows } from './formats/ts/rows.ts';
export { type FiledBlock, SeriesFile, SeriesFileWriter } from './formats/ts/series-file.ts';
export { type Chosen, type MergedRows, windows } from './formats/ts/union.ts';
