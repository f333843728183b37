/** A coordinate reference system, as a reader found it or a caller named it. */
export interface Crs {
  readonly authority?: 'EPSG' | 'ESRI';
  readonly code?: number;
  readonly wkt: string;
  readonly name: string;
}
