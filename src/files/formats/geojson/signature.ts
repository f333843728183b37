import { type Detected, type FileFormat, latin1 } from '../file-format.ts';

const recordSeparator = String.fromCharCode(0x1e);

const GEOJSON =
  /"type"\s*:\s*"(?:FeatureCollection|Feature|(?:Multi)?(?:Point|LineString|Polygon)|GeometryCollection)"|"(?:features|geometry|coordinates)"\s*:/;

/** Members of a feature set of ArcGIS. */
const ESRI_JSON =
  /"geometryType"\s*:\s*"esriGeometry|"spatialReference"\s*:\s*\{\s*"(?:wkid|latestWkid|wkt)"|"geometry"\s*:\s*\{\s*"(?:x|rings|paths|points|curveRings|curvePaths)"\s*:/;

/** JSON that contains a GeoJSON type or member: one object, or a sequence (RFC 8142 or one per line). */
function jsonText(head: Buffer): Detected | undefined {
  const text = latin1(head);
  // Treat the record separator of RFC 8142 as a blank.
  if (!/^(?:\xef\xbb\xbf)?\s*[{[]/.test(text.replaceAll(recordSeparator, ' '))) return undefined;
  if (/"type"\s*:\s*"Topology"/.test(text)) return { name: 'a TopoJSON file' };
  if (ESRI_JSON.test(text) && !/"type"\s*:\s*"Feature/.test(text))
    return { name: 'Esri JSON (convert it to GeoJSON; in ArcGIS services ask for f=geojson)' };
  return GEOJSON.test(text) ? { format: 'geojson', name: 'a GeoJSON file' } : { name: 'a JSON file', maybe: 'geojson' };
}

export const geoJsonFormat: FileFormat = { format: 'geojson', extensions: ['.geojson'], recognise: jsonText };
