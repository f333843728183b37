/**
 * What data say of their coordinates: a code of a registry, a text as the file had it, or both (then the code counts).
 * It costs nothing to carry; PROJ has not read the text yet. Our data always have x = easting or longitude and
 * y = northing or latitude, whatever order the registry names.
 */
export interface Crs {
  readonly authority?: 'EPSG' | 'ESRI';
  readonly code?: number;
  /** WKT 1 (GDAL's or Esri's dialect) or WKT 2; or a name of a format's own that a reader could not resolve (DFS). */
  readonly wkt?: string;
}
