import { byKind } from '../../data/collections.ts';
import type { Crs } from '../../data/crs-reference.ts';
import { allFinite, strideOf, withDimensions } from '../../data/dimensions.ts';
import type { Feature, FeatureCollection, Geometry, GeometryType } from '../../data/feature-collection.ts';
import { AppError, FormatError } from '../../errors.ts';
import type { AppendRules, Context, CrsChange } from '../../formats/define.ts';
import { crsName, sameCrs } from '../../geo/crs/crs.ts';
import { operationSentence } from '../../geo/crs/operation.ts';
import { reprojected } from '../steps/reproject.ts';
import { planFields } from './append-fields.ts';

/** A dataset's features with new ones behind them. */
export interface AppendedFeatures {
  readonly data: FeatureCollection;
  /** How the coordinates of the new ones were changed; to be asked when all were pulled. Absent: they were in the dataset's system. */
  crs?(): CrsChange;
}

/**
 * The features of a dataset, then new ones: with its fields (`append-fields.ts`), in its coordinate system, of the kinds of geometry that
 * it holds. A feature that does not fit is a bad record; fields that it does not have throw FormatError before anything is written.
 */
export async function appendFeatures(
  present: FeatureCollection,
  added: FeatureCollection,
  rules: AppendRules,
  context: Context,
): Promise<AppendedFeatures> {
  const plan = planFields(present, added, rules, context);
  const same = await isSame(present.crs, added.crs);
  const dimensions = dimensionsOf(present, added, rules, context);
  const suited = fitter(present, added, rules, dimensions);
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
              ...suited(feature, number),
              values: plan.values(feature.values, feature.id, number),
            });
          } catch (error) {
            if (!(error instanceof FormatError)) throw error;
            context.reportBadRecord({ number, reason: error, ...placeOf(feature) });
          }
        }
        yield fitting;
      }
      plan.tell(context);
    },
  };
  const change = same ? undefined : await reprojected(fitted, present.crs!, context);
  const brought = change?.features ?? fitted;
  const data: FeatureCollection = {
    ...present,
    ...dimensions,
    fields: plan.fields,
    grown: true,
    ...(present.count === undefined || added.count === undefined ? {} : { count: present.count + added.count }),
    async *chunks() {
      let number = 0;
      for await (const chunk of present.chunks())
        yield chunk.map((feature) => keep(feature, ++number, present, dimensions));
      yield* brought.chunks();
    },
  };
  if (change === undefined) return { data };
  const crs = () => ({
    from: crsName(added.crs!),
    to: crsName(present.crs!),
    operation: operationSentence(change.operation()),
  });
  return { data, crs };
}

async function isSame(present: Crs | undefined, added: Crs | undefined): Promise<boolean> {
  if (present === undefined && added === undefined) return true;
  if (added === undefined)
    throw new AppError(
      'unprocessable',
      `The coordinate system of the input is not known, so it cannot be brought into that of the dataset, ${crsName(present!)}; give SRID to the reader.`,
    );
  if (present === undefined)
    throw new AppError(
      'unprocessable',
      `The dataset does not say in which coordinate system it is, so nothing in ${crsName(added)} can be added to it.`,
    );
  return sameCrs(present, added);
}

type Dimensions = Pick<FeatureCollection, 'hasZ' | 'hasM'>;

/** Of a declared table they stay as they are; elsewhere heights may come. */
function dimensionsOf(
  present: FeatureCollection,
  added: FeatureCollection,
  { declared }: AppendRules,
  { reportLoss }: Context,
): Dimensions {
  const open = declared && present.geometryTypes === undefined;
  const hasZ = present.hasZ || ((!declared || open) && added.hasZ);
  const hasM = present.hasM || (open && added.hasM);
  if (added.hasZ && !hasZ) reportLoss('The dataset has no heights (Z); those of the added features were left out.');
  if (added.hasM && !hasM) reportLoss('The dataset has no measures (M); those of the added features were left out.');
  return { hasZ, hasM };
}

/** What is there already is never left out: better nothing is added. */
function keep(feature: Feature, number: number, present: FeatureCollection, dimensions: Dimensions): Feature {
  const { geometry } = feature;
  if (geometry === undefined) return feature;
  if (!allFinite(geometry, strideOf(present)))
    throw new FormatError(`Feature ${number} of the dataset has a coordinate that is not finite.`);
  const { hasZ, hasM } = present;
  if (hasZ === dimensions.hasZ && hasM === dimensions.hasM) return feature;
  return { ...feature, geometry: withDimensions(geometry, present, dimensions) };
}

const families: readonly (readonly GeometryType[])[] = [
  ['Point'],
  ['MultiPoint'],
  ['LineString', 'MultiLineString'],
  ['Polygon', 'MultiPolygon'],
];

function fitter(
  present: FeatureCollection,
  added: FeatureCollection,
  { declared }: AppendRules,
  dimensions: Dimensions,
) {
  const stride = strideOf(added);
  let allowed = present.geometryTypes;
  const fitting = (geometry: Geometry): Geometry | undefined => {
    const { type, coordinates } = geometry;
    if (type !== 'GeometryCollection' && coordinates.length === 0) return geometry;
    // a table that has held no geometry so far holds the kind of the first one
    if (declared) allowed ??= families.find((family) => family.includes(type));
    if (allowed === undefined || allowed.includes(type)) return geometry;
    if (type === 'Point' && allowed.includes('MultiPoint')) return { type: 'MultiPoint', coordinates };
    if (type === 'MultiPoint' && coordinates.length === stride && allowed.includes('Point'))
      return { type: 'Point', coordinates };
    return undefined;
  };
  return ({ id, geometry }: Feature, number: number): Omit<Feature, 'values'> => {
    const identity = declared || id === undefined ? {} : { id };
    if (geometry === undefined) return identity;
    if (!allFinite(geometry, stride)) throw new FormatError(`Feature ${number} has a coordinate that is not finite.`);
    const [single, another] =
      declared && geometry.type === 'GeometryCollection' ? byKind(geometry, stride) : ([geometry] as const);
    if (single === undefined) return identity;
    const fits = another === undefined ? fitting(single) : undefined;
    if (fits === undefined)
      throw new FormatError(
        `Feature ${number} is a ${geometry.type}; the dataset holds ${allowed?.join(' and ') ?? 'geometries of one kind'} only.`,
      );
    return { ...identity, geometry: withDimensions(fits, added, dimensions) };
  };
}

function placeOf({ geometry }: Feature): { x?: number; y?: number } {
  const first = geometry?.members?.find(({ coordinates }) => coordinates.length > 0) ?? geometry;
  const [x, y] = first?.coordinates ?? [];
  return x !== undefined && y !== undefined && Number.isFinite(x) && Number.isFinite(y) ? { x, y } : {};
}
