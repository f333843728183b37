import { strideOf } from '../../data/dimensions.ts';
import type { FeatureCollection } from '../../data/feature-collection.ts';
import { FeatureTally } from '../../data/feature-statistics.ts';
import { featurePreviewPng } from '../../geo/draw/feature-preview.ts';
import { boxGeometry } from '../../geo/vector/outline.ts';
import type { Inspection } from '../inspection.ts';
import type { InspectKind } from './handler.ts';
import { inspectPlace } from './inspect-place.ts';

/** Reads all features once, and once more for a picture. */
export async function inspectFeatures(
  layer: FeatureCollection,
  inspection: Inspection,
  { picture, signal }: InspectKind,
): Promise<Uint8Array | undefined> {
  const tally = new FeatureTally();
  for await (const chunk of layer.chunks()) {
    signal.throwIfAborted();
    tally.add(chunk, strideOf(layer), layer.hasZ);
  }
  const statistics = tally.result();
  const [west, south] = statistics.minimum ?? [];
  const [east, north] = statistics.maximum ?? [];
  const boxed = west !== undefined && south !== undefined && east !== undefined && north !== undefined;
  await inspectPlace(inspection, layer.crs, boxed ? boxGeometry(west, south, east, north) : undefined);
  Object.assign(inspection, {
    ...(layer.name === undefined ? {} : { layer: layer.name }),
    fields: layer.fields,
    statistics,
  });
  return picture && boxed ? featurePreviewPng(layer, [west, south, east, north]) : undefined;
}
