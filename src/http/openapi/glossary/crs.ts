import type { Glossary } from './entry.ts';

/** Coordinate systems. */
export const COORDINATE_SYSTEMS: Glossary = {
  'CoordinateSystem.id': ['EPSG or ESRI code of the coordinate system.', 25832],
  'CoordinateSystem.name': ['Name of the coordinate system.', 'ETRS89 / UTM zone 32N'],
  authority: ['Authority of the code.', 'EPSG'],
  aliases: ['Other names, and deprecated codes that it replaces.', ['Web Mercator']],
  areaOfUse: 'Area of use, in degrees.',
  west: ['Western longitude; greater than the eastern one if the area crosses the antimeridian.', 6],
  south: ['Southern latitude.', 38.76],
  east: ['Eastern longitude.', 12],
  north: ['Northern latitude.', 84.33],
  wkt: ['Definition as WKT 1, or as WKT 2 if there is no WKT 1.', 'PROJCS["ETRS89 / UTM zone 32N",…]'],
  wkt2: ['Definition as WKT 2.', 'PROJCRS["ETRS89 / UTM zone 32N",…]'],
  proj4String: ['Definition as a PROJ.4 string, if there is one.', '+proj=utm +zone=32 +ellps=GRS80 +units=m +no_defs'],
  'ListCoordinateSystemAuthoritiesAnswer.data': ['Authorities.', ['EPSG', 'ESRI']],
};
