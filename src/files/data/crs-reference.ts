/**
 * Coordinate reference system: a registry code, the text in the file, or both (then the code counts). Not validated:
 * PROJ has not parsed the text yet. Data always have x = easting or longitude and y = northing or latitude, whatever
 * axis order the registry defines.
 */
export interface Crs {
  readonly authority?: 'EPSG' | 'ESRI';
  readonly code?: number;
  /** WKT 1 (GDAL's or Esri's dialect) or WKT 2; or a format-specific name that the reader could not resolve (DFS). */
  readonly wkt?: string;
}
