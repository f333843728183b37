import { strideOf } from '../../data/dimensions.ts';
import type { Feature, FeatureCollection } from '../../data/feature-collection.ts';
import { FeatureTally } from '../../data/feature-statistics.ts';
import { ConversionError } from '../../errors.ts';
import { scaleOf } from '../../geo/draw/colours.ts';
import { featurePicturePng } from '../../geo/draw/feature-picture.ts';
import { numberText } from '../../geo/draw/ticks.ts';
import { boxGeometry } from '../../geo/vector/outline.ts';
import type { Inspection } from '../inspection.ts';
import type { InspectKind } from './handler.ts';
import { inspectPlace } from './inspect-place.ts';
import { chosenItem, headingOf, type PictureChoice } from './picture-choice.ts';

/** Maximum number of values that a colour scale is computed from. */
const maxValues = 500_000;

/** Reads all features once if statistics are asked for, or for the extent of a picture, and once more for it. */
export async function inspectFeatures(
  layer: FeatureCollection,
  inspection: Inspection,
  { picture, statistics: wanted = true, signal }: InspectKind,
): Promise<Uint8Array | undefined> {
  const field = picture && chosenField(layer, picture);
  const values: number[] = [];
  const tally = new FeatureTally();
  const isRead = wanted || picture !== undefined;
  for await (const chunk of isRead ? layer.chunks() : []) {
    signal.throwIfAborted();
    tally.add(chunk, strideOf(layer), layer.hasZ);
    if (field !== undefined && values.length < maxValues) values.push(...numbersIn(chunk, field));
  }
  const statistics = tally.result();
  const [west, south] = statistics.minimum ?? [];
  const [east, north] = statistics.maximum ?? [];
  const boxed = west !== undefined && south !== undefined && east !== undefined && north !== undefined;
  await inspectPlace(inspection, layer.crs, boxed ? boxGeometry(west, south, east, north) : undefined);
  Object.assign(inspection, {
    ...(layer.name === undefined ? {} : { layer: layer.name }),
    fields: layer.fields,
    ...(wanted ? { statistics } : {}),
  });
  if (picture === undefined || !boxed) return undefined;
  const scale = field === undefined ? undefined : scaleOf(values);
  const name = field === undefined ? (layer.name ?? 'Features') : layer.fields[field]!.name;
  const { title, subtitle } = headingOf({ name }, 0, { crs: layer.crs });
  const count = statistics.features;
  const features = count === 1 ? '1 feature' : `${numberText(count)} features`;
  return featurePicturePng(layer, {
    title,
    subtitle: subtitle === '' ? features : `${features}  ·  ${subtitle}`,
    box: [west, south, east, north],
    count,
    by: field === undefined || scale === undefined ? undefined : { field, scale },
  });
}

/** The numeric field whose values are drawn as colours; undefined: the request names no field. */
function chosenField({ fields }: FeatureCollection, { item, step, layer }: PictureChoice): number | undefined {
  if (step !== undefined || layer !== undefined)
    throw new ConversionError('Features have no time steps and no layers. Choose only a field to draw.');
  if (item === undefined) return undefined;
  const field = chosenItem(fields, item);
  const { name, type } = fields[field]!;
  if (type === 'integer' || type === 'integer64' || type === 'real') return field;
  throw new ConversionError(`Field '${name}' is of the type ${type}. Only numbers can be drawn as colours.`);
}

const numbersIn = (chunk: readonly Feature[], field: number): number[] =>
  chunk.flatMap(({ values }) => {
    const value = values[field];
    return typeof value === 'number' || typeof value === 'bigint' ? [Number(value)] : [];
  });
