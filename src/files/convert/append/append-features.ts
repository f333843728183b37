import { byKind, geometryFamilies } from '../../data/collections.ts';
import type { Crs } from '../../data/crs-reference.ts';
import { allFinite, strideOf, withDimensions } from '../../data/dimensions.ts';
import type { Feature, FeatureCollection, Geometry } from '../../data/feature-collection.ts';
import { ConversionError, FormatError } from '../../errors.ts';
import type { AppendRules, Context, CrsChange } from '../../formats/define.ts';
import { crsName, sameCrs } from '../../geo/crs/crs.ts';
import { operationSentence } from '../../geo/crs/operation.ts';
import { reprojected } from '../steps/reproject.ts';
import { planFields } from './append-fields.ts';

/** The features of a dataset, followed by the added ones. */
export interface AppendedFeatures {
  readonly data: FeatureCollection;
  /**
   * The reprojection of the added features; call it after all features are read. Absent: they were in the dataset's
   * CRS.
   */
  crs?(): CrsChange;
}

/**
 * Appends features to those of a dataset: matches their fields (`append-fields.ts`), reprojects them to the dataset's
 * CRS and checks their geometry types. A feature that does not fit is a bad record.
 * @throws FormatError before anything is written if the added features have fields that the dataset lacks
 */
export async function appendFeatures(
  existing: FeatureCollection,
  added: FeatureCollection,
  rules: AppendRules,
  context: Context,
): Promise<AppendedFeatures> {
  const plan = planFields(existing, added, rules, context);
  const same = await isSame(existing.crs, added.crs);
  const dimensions = dimensionsOf(existing, added, rules, context);
  const fitGeometry = geometryFitter(existing, added, rules, dimensions);
  const fitted: FeatureCollection = {
    ...added,
    ...dimensions,
    fields: plan.fields,
    async *chunks() {
      let number = 0;
      for await (const chunk of added.chunks()) {
        const fitting: Feature[] = [];
        for (const feature of chunk) {
          number++;
          try {
            fitting.push({
              ...fitGeometry(feature, number),
              values: plan.values(feature.values, feature.id, number),
            });
          } catch (error) {
            if (!(error instanceof FormatError)) throw error;
            context.reportBadRecord({ number, reason: error, ...firstPoint(feature) });
          }
        }
        yield fitting;
      }
      plan.reportLosses(context);
    },
  };
  const change = same ? undefined : await reprojected(fitted, existing.crs!, context);
  const inCrs = change?.data ?? fitted;
  const data: FeatureCollection = {
    ...existing,
    ...dimensions,
    fields: plan.fields,
    appended: true,
    ...(existing.count === undefined || added.count === undefined ? {} : { count: existing.count + added.count }),
    async *chunks() {
      let number = 0;
      for await (const chunk of existing.chunks())
        yield chunk.map((feature) => existingFeature(feature, ++number, existing, dimensions));
      yield* inCrs.chunks();
    },
  };
  if (change === undefined) return { data };
  const crs = () => ({
    from: crsName(added.crs!),
    to: crsName(existing.crs!),
    operation: operationSentence(change.operation()),
  });
  return { data, crs };
}

async function isSame(existing: Crs | undefined, added: Crs | undefined): Promise<boolean> {
  if (existing === undefined && added === undefined) return true;
  if (added === undefined)
    throw new ConversionError(
      `The coordinate system of the input is not known, so the input cannot be reprojected to that of the dataset, ${crsName(existing!)}. Give SRID to the reader.`,
    );
  if (existing === undefined)
    throw new ConversionError(
      `The coordinate system of the dataset is not known, so data in ${crsName(added)} cannot be appended to it.`,
    );
  return sameCrs(existing, added);
}

type Dimensions = Pick<FeatureCollection, 'hasZ' | 'hasM'>;

/** A format with declared types keeps its dimensions; other formats may gain heights. */
function dimensionsOf(
  existing: FeatureCollection,
  added: FeatureCollection,
  { declared }: AppendRules,
  { reportLoss }: Context,
): Dimensions {
  const open = declared && existing.geometryTypes === undefined;
  const hasZ = existing.hasZ || ((!declared || open) && added.hasZ);
  const hasM = existing.hasM || (open && added.hasM);
  if (added.hasZ && !hasZ) reportLoss('The dataset has no heights (Z); those of the added features were left out.');
  if (added.hasM && !hasM) reportLoss('The dataset has no measures (M); those of the added features were left out.');
  return { hasZ, hasM };
}

/**
 * An existing feature in the output's dimensions. Never skipped as a bad record: it would vanish from the dataset, so
 * the append fails.
 */
function existingFeature(
  feature: Feature,
  number: number,
  existing: FeatureCollection,
  dimensions: Dimensions,
): Feature {
  const { geometry } = feature;
  if (geometry === undefined) return feature;
  if (!allFinite(geometry, strideOf(existing)))
    throw new FormatError(`Feature ${number} of the dataset has a coordinate that is not finite.`);
  const { hasZ, hasM } = existing;
  if (hasZ === dimensions.hasZ && hasM === dimensions.hasM) return feature;
  return { ...feature, geometry: withDimensions(geometry, existing, dimensions) };
}

/**
 * Returns a function that changes a feature's geometry to a type that the dataset can hold. It throws FormatError if
 * none fits.
 */
function geometryFitter(
  existing: FeatureCollection,
  added: FeatureCollection,
  { declared, ids }: AppendRules,
  dimensions: Dimensions,
) {
  const stride = strideOf(added);
  let allowed = existing.geometryTypes;
  const fitting = (geometry: Geometry): Geometry | undefined => {
    const { type, coordinates } = geometry;
    if (type !== 'GeometryCollection' && coordinates.length === 0) return geometry;
    // the first geometry decides the type of an empty table
    if (declared) allowed ??= geometryFamilies.find((family) => family.includes(type));
    if (allowed === undefined || allowed.includes(type)) return geometry;
    if (type === 'Point' && allowed.includes('MultiPoint')) return { type: 'MultiPoint', coordinates };
    if (type === 'MultiPoint' && coordinates.length === stride && allowed.includes('Point'))
      return { type: 'Point', coordinates };
    return undefined;
  };
  return ({ id, geometry }: Feature, number: number): Omit<Feature, 'values'> => {
    const identity = (declared && !ids) || id === undefined ? {} : { id };
    if (geometry === undefined) return identity;
    if (!allFinite(geometry, stride)) throw new FormatError(`Feature ${number} has a coordinate that is not finite.`);
    const [single, another] =
      declared && geometry.type === 'GeometryCollection' && !allowed?.includes(geometry.type)
        ? byKind(geometry, stride)
        : ([geometry] as const);
    if (single === undefined) return identity;
    const fits = another === undefined ? fitting(single) : undefined;
    if (fits === undefined)
      throw new FormatError(
        `Feature ${number} is a ${geometry.type}; the dataset can only hold ${allowed?.join(' and ') ?? 'geometries of one type'}.`,
      );
    return { ...identity, geometry: withDimensions(fits, added, dimensions) };
  };
}

function firstPoint({ geometry }: Feature): { x?: number; y?: number } {
  const first = geometry?.members?.find(({ coordinates }) => coordinates.length > 0) ?? geometry;
  const [x, y] = first?.coordinates ?? [];
  return x !== undefined && y !== undefined && Number.isFinite(x) && Number.isFinite(y) ? { x, y } : {};
}
