import type { Crs } from '../../data/crs-reference.ts';
import type { FeatureCollection } from '../../data/feature-collection.ts';
import { FeatureTally, watchedFeatures } from '../../data/feature-statistics.ts';
import { AppError, FormatError } from '../../errors.ts';
import type { Context, CrsChange } from '../../formats/define.ts';
import { SEVERAL_LAYERS } from '../../formats/define.ts';
import { FileSource } from '../../formats/io/bytes.ts';
import { completeParameters } from '../../formats/parameters.ts';
import { readers } from '../../formats/registry.ts';
import { crsFromWkt, sameCrs } from '../../geo/crs/crs.ts';
import type { Present } from '../conversion.ts';
import type { AppendSession, AppendWork } from '../kinds/handler.ts';
import { boxInformation } from '../spatial-information.ts';
import type { AppendedFeatures } from './append-features.ts';
import { appendFeatures } from './append-features.ts';

/**
 * Opens the features that a dataset holds. All of them are written anew, with the input behind them, so that the old content is whole
 * until the new one is. `write` writes data as the dataset's format.
 */
export async function openFeatureAppend(
  { present, writer, write, steps }: AppendWork,
  context: Context,
): Promise<AppendSession> {
  const { appends } = writer;
  if (appends === undefined) throw new AppError('unprocessable', `${writer.name} cannot append.`);
  const there = await readPresent(present, context);
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
      if (added.kind !== 'features') throw new Error(`Nothing appends '${added.kind}' yet.`);
      share = (there.count ?? 0) / Math.max(1, (there.count ?? 0) + (added.count ?? 0));
      const told = (features: number) =>
        context.progress((0.9 * share * features) / Math.max(1, there.count ?? 0), 'Copying what was there');
      const kept = watchedFeatures(there, before, context.signal, told);
      joined = await appendFeatures(kept, added, appends, placeless(context, transformed));
      if (calculated) whole = new FeatureTally(joined.data.fields);
      await write(watchedFeatures(joined.data, whole, context.signal, () => {}));
    },
    async told({ spatialInformation: _, ...passed }) {
      const { data, crs } = joined!;
      const after = whole.result();
      const spatial = await boxInformation(data.crs, after, context);
      return {
        ...passed,
        recordsWritten: after.features - before.features,
        appended: { present: before.features, added: after.features - before.features },
        crs: both(passed.crs, crs?.()),
        statistics: { ...passed.statistics, after },
        ...(calculated ? { properties: { statistics: after } } : {}),
        ...(spatial === undefined ? {} : { spatialInformation: spatial }),
      };
    },
  };
}

async function readPresent({ path, format, crs }: Present, context: Context): Promise<FeatureCollection> {
  const [reader, another] = readers.filter((one) => one.format === format);
  if (reader === undefined || another !== undefined) throw new Error(`No one reader reads datasets of '${format}'.`);
  const source = await FileSource.open(path, { checksum: false });
  context.atEnd(() => source.close());
  const strict: Context = {
    ...context,
    onBadRecord: 'fail',
    log: (level, message) => context.log(level, `The dataset: ${message}`),
    lost: (sentence) => context.lost(`Of what the dataset held: ${sentence}`),
    progress: () => {},
    // what is there may not become less
    badRecord: ({ reason }) => {
      throw reason;
    },
  };
  const read = async () => reader.read(source, completeParameters(reader, {}), strict);
  const data = await read().catch((error) => {
    throw unreadable(error);
  });
  if (data.kind !== 'features')
    throw new AppError('unprocessable', `The dataset holds ${data.kind}, and the input features.`);
  const known = await crsOf(data.crs, crs);
  return {
    ...data,
    ...(known === undefined ? {} : { crs: known }),
    async *chunks() {
      const chunks = data.chunks()[Symbol.asyncIterator]();
      try {
        for (;;) {
          const next = await chunks.next().catch((error) => {
            throw unreadable(error);
          });
          if (next.done) return;
          yield next.value;
        }
      } finally {
        await chunks.return?.();
      }
    },
  };
}

function unreadable(error: unknown): unknown {
  if (!(error instanceof FormatError || error instanceof AppError)) return error;
  if (error instanceof AppError && error.details.code === SEVERAL_LAYERS)
    return new AppError('unprocessable', 'The dataset holds several layers; only to a single one can be added.');
  return new AppError('unprocessable', `What the dataset holds cannot be read: ${error.message}`);
}

/** What the content says; where it cannot say it (GeoJSON in a system without a number), what the record says. */
async function crsOf(content: Crs | undefined, record: Present['crs']): Promise<Crs | undefined> {
  if (record === undefined || (content !== undefined && record.srid !== undefined)) return content;
  try {
    const crs = await crsFromWkt(record.wkt);
    return content !== undefined && (await sameCrs(content, crs)) ? content : crs;
  } catch (error) {
    // anybody may have written there what he likes
    if (error instanceof FormatError) return content;
    throw error;
  }
}

/** Places of bad records are told in the system of the input, which is not known any more behind a transformation. */
const placeless = (context: Context, transformed: boolean): Context =>
  transformed ? { ...context, badRecord: ({ number, reason }) => context.badRecord({ number, reason }) } : context;

function both(before: CrsChange | undefined, after: CrsChange | undefined): CrsChange {
  if (after === undefined) return before ?? {};
  const operation = [before?.operation, after.operation].filter((one) => one !== undefined).join(' ');
  return { ...after, ...before, ...(after.to === undefined ? {} : { to: after.to }), operation };
}
