/*
 * Coordinate reference systems: their codes and texts, transformation by PROJ (which loads with the first use), and a
 * catalogue of the systems of EPSG and Esri.
 */

export {
  type Box,
  type CrsFilter,
  catalogueFile,
  type Found,
  findAuthorities,
  findReplacement,
  findSystem,
  findSystems,
} from './crs/catalogue.ts';
export { isNorthFirst } from './geo/crs/axis-order.ts';
export {
  crsName,
  describeCrs,
  type KnownCrs,
  kindOf,
  parseSrid,
  sameCrs,
  sridOf,
  wgs84,
} from './geo/crs/crs.ts';
export {
  extentOf,
  type GeographicExtent,
  nearestTurn,
  runOn,
  toGeographic,
} from './geo/crs/geographic-extent.ts';
export { type Transformer, transformer } from './geo/crs/transform.ts';
export { transformInThread } from './geo/crs/transform-in-thread.ts';
