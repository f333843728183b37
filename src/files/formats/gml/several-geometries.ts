import type { ByteSource } from '../../data/bytes.ts';
import type { Context } from '../define.ts';
import { parseXml } from '../io/xml.ts';
import { shown } from '../io/zip.ts';

/** Elements of GML 2 and 3 that are a geometry. */
const geometries = new Set([
  'Point',
  'LineString',
  'LinearRing',
  'Polygon',
  'Curve',
  'CompositeCurve',
  'OrientableCurve',
  'Surface',
  'PolyhedralSurface',
  'TriangulatedSurface',
  'Tin',
  'CompositeSurface',
  'OrientableSurface',
  'Solid',
  'CompositeSolid',
  'MultiPoint',
  'MultiLineString',
  'MultiPolygon',
  'MultiCurve',
  'MultiSurface',
  'MultiSolid',
  'MultiGeometry',
]);

/** Elements that hold features. */
const isMember = (name: string): boolean => /^(?:featureMembers?|members?)$/.test(name);

/** GDAL keeps one geometry of a feature, and does not tell of the others: this reports how many have several. */
export async function reportSeveralGeometries(source: ByteSource, context: Context): Promise<void> {
  const open: string[] = [];
  const properties = new Set<string>();
  let features = 0;
  /** Depth of the element of the feature and of its geometry that is read. */
  let [feature, geometry] = [0, 0];
  let found: string[] = [];
  const handler = {
    open(name: string) {
      const parent = open.at(-1) ?? '';
      open.push(name);
      if (feature === 0) {
        if (isMember(parent)) [feature, found] = [open.length, []];
      } else if (geometry === 0 && geometries.has(name)) {
        geometry = open.length;
        found.push(parent);
      }
    },
    text() {},
    close() {
      if (open.length === geometry) geometry = 0;
      else if (open.length === feature) {
        feature = 0;
        if (found.length > 1) {
          features++;
          for (const name of found) if (properties.size < 20) properties.add(name);
        }
      }
      open.pop();
    },
  };
  for await (const _ of parseXml(source, handler, context.signal)) context.signal.throwIfAborted();
  if (features > 0)
    context.reportLoss(
      `${features} features have several geometries (${[...properties].map(shown).join(', ')}), of which one was kept.`,
    );
}
