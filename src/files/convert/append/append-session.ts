import type { Crs } from '../../data/crs-reference.ts';
import { kindNouns } from '../../data/data.ts';
import type { FeatureCollection } from '../../data/feature-collection.ts';
import { FeatureTally, watchedFeatures } from '../../data/feature-statistics.ts';
import { ConversionError, FormatError } from '../../errors.ts';
import type { Context, CrsChange } from '../../formats/define.ts';
import { crsFromWkt, sameCrs } from '../../geo/crs/crs.ts';
import type { ExistingDataset } from '../conversion.ts';
import type { AppendSession, AppendWork } from '../kinds/handler.ts';
import { boxInformation } from '../spatial-information.ts';
import { type AppendedFeatures, appendFeatures } from './append-features.ts';
import { readExisting, refuseUnreadable } from './existing.ts';

/**
 * Opens the existing features of a dataset. The output is a new file with the existing features and the input, so the
 * old file stays complete until the new one is. `write` writes data in the dataset's format.
 */
export async function openFeatureAppend(
  { existing, writer, write, steps }: AppendWork,
  context: Context,
): Promise<AppendSession> {
  const { appends } = writer;
  if (appends === undefined) throw new ConversionError(`${writer.name} cannot append.`);
  const old = await existingFeatures(existing, context);
  const before = new FeatureTally();
  const transformed = steps.some(({ type }) => type === 'CrsTransformation');
  const calculated = steps.some(({ type }) => type === 'CalculateStatisticsTransformation');
  let whole = new FeatureTally();
  let share = 0;
  let joined: AppendedFeatures | undefined;
  return {
    context: {
      ...context,
      progress: (fraction, phase) => context.progress(share + (1 - share) * fraction, phase),
    },
    async write(added) {
      if (added.kind !== 'features') throw new Error(`Data of kind '${added.kind}' cannot be appended.`);
      share = (old.count ?? 0) / Math.max(1, (old.count ?? 0) + (added.count ?? 0));
      const copied = (features: number) =>
        context.progress((0.9 * share * features) / Math.max(1, old.count ?? 0), 'Copying the existing features');
      const kept = watchedFeatures(old, before, context.signal, copied);
      joined = await appendFeatures(kept, added, appends, transformed ? withoutLocations(context) : context);
      if (calculated) whole = new FeatureTally(joined.data.fields);
      await write(watchedFeatures(joined.data, whole, context.signal, () => {}));
    },
    async finish({ spatialInformation: _, ...passed }) {
      const { data, crs } = joined!;
      const after = whole.result();
      const spatial = await boxInformation(data.crs, after, context);
      return {
        ...passed,
        recordsWritten: after.features - before.features,
        appended: { present: before.features, added: after.features - before.features },
        crs: joinChanges(passed.crs, crs?.()),
        statistics: { ...passed.statistics, after },
        ...(calculated ? { properties: { statistics: after } } : {}),
        ...(spatial === undefined ? {} : { spatialInformation: spatial }),
      };
    },
  };
}

/** The features, in the coordinate system of the dataset. */
async function existingFeatures(existing: ExistingDataset, context: Context): Promise<FeatureCollection> {
  const data = await readExisting(existing, context);
  if (data.kind !== 'features')
    throw new ConversionError(`The dataset holds ${kindNouns[data.kind].one}, and the input features.`);
  const known = await checkCrs(data.crs, existing.crs);
  return {
    ...data,
    ...(known === undefined ? {} : { crs: known }),
    async *chunks() {
      const chunks = data.chunks()[Symbol.asyncIterator]();
      try {
        for (;;) {
          const next = await chunks.next().catch(refuseUnreadable);
          if (next.done) return;
          yield next.value;
        }
      } finally {
        await chunks.return?.();
      }
    },
  };
}

/**
 * The CRS in the file; the CRS in the dataset's metadata if the file cannot store it (GeoJSON in a CRS without a code).
 */
async function checkCrs(content: Crs | undefined, record: ExistingDataset['crs']): Promise<Crs | undefined> {
  if (record === undefined || (content !== undefined && record.srid !== undefined)) return content;
  try {
    const crs = await crsFromWkt(record.wkt);
    return content !== undefined && (await sameCrs(content, crs)) ? content : crs;
  } catch (error) {
    // clients can write any text into the metadata
    if (error instanceof FormatError) return content;
    throw error;
  }
}

/**
 * Drops locations of bad records: they must be in the CRS of the input, but after a reprojection only the target
 * coordinates are known.
 */
const withoutLocations = (context: Context): Context => ({
  ...context,
  reportBadRecord: ({ number, reason }) => context.reportBadRecord({ number, reason }),
});

/** Combines the reprojection of a transformation with that of the append, which follows it. */
function joinChanges(before: CrsChange | undefined, after: CrsChange | undefined): CrsChange {
  if (after === undefined) return before ?? {};
  const operation = [before?.operation, after.operation].filter((one) => one !== undefined).join(' ');
  return { ...after, ...before, ...(after.to === undefined ? {} : { to: after.to }), operation };
}
