import type { ByteSource } from '../../data/bytes.ts';
import type { Feature, FeatureCollection } from '../../data/feature-collection.ts';
import { FormatError } from '../../errors.ts';
import { parseSrid, wgs84 } from '../../geo/crs/crs.ts';
import { ONE_VERTEX, PART_LEFT_OUT, withoutShortLines } from '../../geo/vector/short-lines.ts';
import type { Context, Read } from '../define.ts';
import { CoordinatePool } from '../io/coordinate-pool.ts';
import { parseXml } from '../io/xml.ts';
import { geometryOf, InvalidCoordinates } from './coordinates.ts';
import { kmlOf } from './document.ts';
import { type KmlLayer, KmlLayers } from './layers.ts';
import type { readParameters } from './parameters.ts';
import { KmlHandler, type Placemark } from './placemarks.ts';

export const read: Read<typeof readParameters> = async (
  source,
  { SRID, Layer },
  context,
): Promise<FeatureCollection> => {
  const { document, layers } = await scan(source, context);
  const chosen = layers.choose(Layer);
  const layer = layers.all[chosen];
  layer?.finish(context);
  const { name = '' } = layer?.container ?? {};
  return {
    kind: 'features',
    ...(name === '' ? {} : { name }),
    crs: SRID === undefined ? wgs84 : parseSrid(SRID),
    fields: layer?.fields ?? [],
    hasZ: layer?.hasZ ?? false,
    hasM: false,
    count: layer?.count ?? 0,
    chunks: () => chunks(document, layer, chosen, context),
  };
};

/** Reads the whole file once for its layers, their fields, and what is left out. */
async function scan(source: ByteSource, context: Context): Promise<{ document: ByteSource; layers: KmlLayers }> {
  const document = await kmlOf(source, context);
  const layers = new KmlLayers();
  const handler = new KmlHandler((placemark) => layers.add(placemark));
  for await (const _ of parseXml(document, handler, context.signal)) context.signal.throwIfAborted();
  if (handler.leftOut.size > 0)
    context.reportLoss(`Elements of KML were left out: ${[...handler.leftOut].toSorted().join(', ').slice(0, 500)}.`);
  if (handler.networkLinks > 0)
    context.reportLoss(`${handler.networkLinks} network links were left out; they are not followed.`);
  return { document, layers };
}

async function* chunks(
  document: ByteSource,
  layer: KmlLayer | undefined,
  chosen: number,
  context: Context,
): AsyncGenerator<readonly Feature[]> {
  if (layer === undefined) return;
  const pool = new CoordinatePool();
  const layers = new Map<Placemark['container'], number>();
  let features: Feature[] = [];
  let number = 0;
  const handler = new KmlHandler((placemark) => {
    // The folders of this reading, in the order of their first placemarks.
    if (!layers.has(placemark.container)) layers.set(placemark.container, layers.size);
    if (layers.get(placemark.container) !== chosen) return;
    number++;
    try {
      features.push(featureOf(placemark, layer, pool, context));
    } catch (error) {
      if (!(error instanceof InvalidCoordinates)) throw error;
      const named = placemark.name === undefined ? '' : ` ('${placemark.name.slice(0, 80)}')`;
      context.reportBadRecord({ number, reason: new FormatError(`Placemark ${number}${named}: ${error.message}`) });
    }
  });
  for await (const at of parseXml(document, handler, context.signal)) {
    if (features.length > 0) yield features;
    features = [];
    context.progress((0.9 * at) / document.size, 'Reading');
  }
  if (features.length > 0) yield features;
}

function featureOf(placemark: Placemark, layer: KmlLayer, pool: CoordinatePool, context: Context): Feature {
  const { id, shape, wrong } = placemark;
  if (wrong !== undefined) throw wrong;
  const whole = shape && geometryOf(shape, layer.hasZ, pool);
  const geometry = whole && withoutShortLines(whole, layer.hasZ ? 3 : 2);
  if (whole !== undefined && geometry === undefined) throw new InvalidCoordinates(ONE_VERTEX);
  if (geometry !== whole) context.remark(PART_LEFT_OUT);
  return {
    ...(id === undefined ? {} : { id }),
    ...(geometry === undefined ? {} : { geometry }),
    values: layer.values(placemark),
  };
}
