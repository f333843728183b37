import { isZoneStatistic, type ZoneStatistic, type ZoneWeights } from '../../../geo/zones/statistics.ts';
import { readGeometry } from '../geometry-member.ts';
import { isListOf, isText, type Members } from '../request-members.ts';
import type { StepRule } from '../rule.ts';
import { readSideInput } from '../side-input.ts';
import type { ZonalStatisticsTransformation } from './transformation.ts';

const defaults: readonly ZoneStatistic[] = ['count', 'mean', 'min', 'max'];
const statisticWords = 'a list of count, sum, mean, min, max, std, median and percentiles such as p05';

export const zonalStatistics: StepRule<ZonalStatisticsTransformation> = {
  needs: 'place',
  makes: { grid: ['features', 'series'], mesh: ['features', 'series'], array: ['features', 'series'] },
  read(members) {
    const one = members.object('zonalStatistics', 'an object with zones');
    if (one === undefined) return undefined;
    const zones = readZones(one);
    const statistics = readStatistics(one);
    const weights = one.may('weights', isWeights, 'centre or coverage')?.toLowerCase() as ZoneWeights | undefined;
    const id = one.may('id', isText, 'the name of a field');
    if (zones === undefined) return undefined;
    return {
      type: 'ZonalStatisticsTransformation',
      zones,
      statistics,
      weights: weights ?? 'centre',
      ...(id === undefined ? {} : { id }),
    };
  },
  sideInputs: ({ zones }) => ('geometry' in zones ? [] : [zones]),
  load: () => import('./step.ts'),
};

function readZones(members: Members): ZonalStatisticsTransformation['zones'] | undefined {
  const zones = members.object('zones', 'an object with datasetId, uploadUrl or geometry');
  if (zones === undefined) return undefined;
  if (!zones.has('geometry')) return readSideInput(members, 'zones');
  for (const other of ['datasetId', 'uploadUrl', 'path'])
    if (zones.has(other)) zones.refuse(other, `${zones.path} cannot have both geometry and ${other}.`);
  const read = readGeometry(zones);
  if (read !== undefined && !/Polygon$/.test(read.geometry.type))
    return zones.refuse('geometry', `${zones.pathOf('geometry')} must be a polygon, not a ${read.geometry.type}.`);
  return read;
}

/** The statistics that are asked for, each once. */
function readStatistics(members: Members): readonly ZoneStatistic[] {
  const given = members.may('statistics', isListOf(isStatistic), statisticWords);
  return given === undefined ? defaults : [...new Set(given.map((word) => word.toLowerCase() as ZoneStatistic))];
}

const isStatistic = (value: unknown): value is string =>
  typeof value === 'string' && isZoneStatistic(value.toLowerCase());

const isWeights = (value: unknown): value is string =>
  typeof value === 'string' && ['centre', 'coverage'].includes(value.toLowerCase());
