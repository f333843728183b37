/*
 * The model of data: what a reader produces and a writer accepts, statistics, and the EUM table of quantities and units
 * of MIKE. Values are streamed: by rows, steps or blocks.
 */

export type { Crs } from './data/crs-reference.ts';
export type { Data } from './data/data.ts';
export { strideOf } from './data/dimensions.ts';
export {
  type EumItem,
  type EumUnit,
  eumItem,
  eumItemNamed,
  eumItems,
  eumUnit,
  eumUnitNamed,
  eumUnits,
} from './data/eum/eum.ts';
export type { Feature, FeatureCollection, Field, FieldType, Geometry } from './data/feature-collection.ts';
export type { FeatureStatistics } from './data/feature-statistics.ts';
export type { FieldStatistics } from './data/field-statistics.ts';
export { type Affine, firstSlice, type Grid } from './data/grid.ts';
export type { BandStatistics, GridStatistics } from './data/grid-statistics.ts';
export { copyBlock } from './data/hyperslab.ts';
export type { Indices } from './data/indices.ts';
export type { Axis, Item, Samples, SampleType } from './data/item.ts';
export { CELL_SHAPES, type Mesh, type MeshItem } from './data/mesh.ts';
export { cellCentres, cellCount, componentCount, nodeCount } from './data/mesh-cells.ts';
export { footprints, layerCount, layersOfCells } from './data/mesh-columns.ts';
export type { ArrayItem, MultiArray } from './data/multi-array.ts';
export type { PlaceCoordinate, Places } from './data/places.ts';
export { realValues } from './data/real-values.ts';
export { type ItemDefinition, redefinedItem } from './data/redefine-item.ts';
export { isFloat, nodataOf } from './data/samples.ts';
export type { Series } from './data/series.ts';
export { asSamples, isBig, newValues, type StoredType, type StoredValues } from './data/stored-values.ts';
export { chosenSteps, MILLISECONDS, stepCount, stepsOf, type TimeAxis, timeOf } from './data/time-axis.ts';
export type { Figures } from './data/value-tally.ts';
export type { ValueArray } from './formats/io/value-array.ts';
