import type { FeatureCollection } from '../../data/feature-collection.ts';
import { type FeatureStatistics, FeatureTally, watchedFeatures } from '../../data/feature-statistics.ts';
import { parseSrid, sameCrs } from '../../geo/crs/crs.ts';
import { operationSentence } from '../../geo/crs/operation.ts';
import { openFeatureAppend } from '../append/append-session.ts';
import { convertStream } from '../pipeline.ts';
import { boxInformation } from '../spatial-information.ts';
import { knownInputCrs } from '../steps/input-crs.ts';
import { chosenFields } from '../steps/item-filter.ts';
import { reprojected } from '../steps/reproject.ts';
import { featuresWithin } from '../steps/spatial-filter.ts';
import type { KindHandler, StepContext, StepsOf, StreamOperations } from './handler.ts';
import { inspectFeatures } from './inspect-features.ts';

const steps: StepsOf<FeatureCollection> = {
  CrsTransformation: (data, { outputSrid }, shared) => reproject(data, outputSrid, shared),
  CalculateStatisticsTransformation: (data) => data,
  ItemFilterTransformation: (data, filter, { context }) => chosenFields(data, filter, context),
  SpatialFilterTransformation: (data, filter, { context }) => featuresWithin(data, filter, context),
};

const stream: StreamOperations<FeatureCollection> = {
  steps,
  progress: 'input',
  tally({ fields }, whole) {
    const tally = new FeatureTally(whole ? fields : []);
    return {
      get records() {
        return tally.features;
      },
      watch: (data, signal, passed) =>
        watchedFeatures(data, tally, signal, (features) =>
          passed(data.count === undefined ? 0 : features / Math.max(1, data.count)),
        ),
      result: () => tally.result(),
    };
  },
  pullsSame: (one, other) => one.chunks === other.chunks,
  place: ({ crs }, statistics, context) => boxInformation(crs, statistics as FeatureStatistics, context),
};

export const featuresHandler: KindHandler<FeatureCollection> = {
  steps,
  pass: (data, work, write, context) => convertStream(stream, { name: work.stem, ...data }, work, write, context),
  append: openFeatureAppend,
  inspect: inspectFeatures,
};

async function reproject(data: FeatureCollection, outputSrid: string, shared: StepContext): Promise<FeatureCollection> {
  const known = knownInputCrs(data, outputSrid);
  const target = parseSrid(outputSrid);
  if (await sameCrs(known, target)) return { ...data, crs: target };
  const changed = await reprojected(data, target, shared.context);
  shared.operations.push(() => operationSentence(changed.operation()));
  shared.to = target;
  return changed.features;
}
