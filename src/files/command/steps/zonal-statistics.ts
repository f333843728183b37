import { type Command, InvalidArgumentError, Option } from 'commander';
import { type SideOption, sideInput } from './side-input.ts';

export interface ZonalStatisticsOptions {
  zones?: SideOption | { geometry: string };
  zoneStatistics?: string[];
  zoneWeights?: string;
  zoneId?: string;
}

export const zonalStatisticsOptions = (command: Command): Command =>
  command
    .option('--zones <polygons>', 'statistics of the values in these zones: a file, a dataset or a WKT', zones)
    .option('--zone-statistics <list>', 'statistics such as mean,max,p95; default: count,mean,min,max', statistics)
    .addOption(
      new Option('--zone-weights <weights>', 'cells by their centre (default) or by the part in the zone').choices([
        'centre',
        'coverage',
      ]),
    )
    .option('--zone-id <field>', 'field that names the time series of each zone');

export function readZonalStatistics(options: ZonalStatisticsOptions): unknown[] {
  const { zones, zoneStatistics, zoneWeights, zoneId } = options;
  if (zones === undefined) return [];
  const zonalStatistics = {
    zones,
    ...(zoneStatistics === undefined ? {} : { statistics: zoneStatistics }),
    ...(zoneWeights === undefined ? {} : { weights: zoneWeights }),
    ...(zoneId === undefined ? {} : { id: zoneId }),
  };
  return [{ type: 'zonalStatisticsTransformation', zonalStatistics }];
}

const zones = (text: string): SideOption | { geometry: string } =>
  /^(?:SRID ?= ?\d{1,9} ?; ?)?(?:MULTI)?POLYGON ?(?:ZM|Z|M)? ?\(/i.test(text.trim())
    ? { geometry: text }
    : sideInput(text);

function statistics(text: string): string[] {
  const words = text.split(',').map((word) => word.trim());
  if (words.every((word) => word !== '')) return words;
  throw new InvalidArgumentError('It must be a list such as mean,max,p95.');
}
