import type { FeatureCollection } from '../../data/feature-collection.ts';
import { type FeatureStatistics, FeatureTally, watchedFeatures } from '../../data/feature-statistics.ts';
import { openFeatureAppend } from '../append/append-session.ts';
import { boxInformation } from '../spatial-information.ts';
import { reprojectedBy } from '../steps/input-crs.ts';
import { chosenFields } from '../steps/item-filter.ts';
import { reprojected } from '../steps/reproject.ts';
import { featuresWithin } from '../steps/spatial-filter.ts';
import type { KindHandler, StepsOf, StreamOperations } from './handler.ts';
import { inspectFeatures } from './inspect-features.ts';

const steps: StepsOf<FeatureCollection> = {
  CrsTransformation: (data, { outputSrid }, shared) =>
    reprojectedBy(data, outputSrid, shared, (_, target) => reprojected(data, target, shared.context)),
  CalculateStatisticsTransformation: (data) => data,
  ItemFilterTransformation: (data, filter, { context }) => chosenFields(data, filter, context),
  SpatialFilterTransformation: (data, filter, { context }) => featuresWithin(data, filter, context),
};

const stream: StreamOperations<FeatureCollection> = {
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
  stream,
  append: openFeatureAppend,
  inspect: inspectFeatures,
};
