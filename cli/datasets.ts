import type { BandStatistics, FeatureStatistics, FieldStatistics, GridStatistics } from 'hydrofiles/data';
import { bytes, moment, plain, record, type Shown, type Table, table } from 'hydrofiles/terminal';
import type { Dataset } from '../src/datasets/record.ts';
import type { Principals } from './principals.ts';

/** Result of `calculateStatisticsTransformation`, for bands or for fields. */
type Statistics = Partial<Omit<GridStatistics, 'kind'> & Omit<FeatureStatistics, 'kind'>>;

const PROBLEMS = {
  damaged: 'damaged: its bytes are not those that were written',
  missing: 'missing: the blob store does not have its bytes',
  none: undefined,
};

/** Formats a dataset for people. */
export function describeDataset(dataset: Dataset, people: Principals): Shown {
  const { spatialInformation: place = {}, temporalInformation: time = {}, properties = {} } = dataset;
  const { statistics, ...others } = properties;
  const known = Object(statistics) as Statistics;
  const head = record({
    id: dataset.id,
    name: dataset.name,
    description: dataset.description,
    project: dataset.projectId,
    type: dataset.datasetType,
    format: dataset.datasetFormat,
    size: bytes(dataset.storageSize),
    content: PROBLEMS[dataset.contentProblem ?? 'none'],
    tags: dataset.tags?.join(', '),
    srid: place.srid,
    'coordinate system': place.primarySpatialReference === undefined ? '' : systemName(place.primarySpatialReference),
    'extent in degrees': extent(place.location),
    resolution: text(place.resolution),
    'from time': time.startTime,
    'to time': time.endTime,
    interval: text(time.interval),
    'time resolution': text(time.resolution),
    cells: known.width === undefined ? '' : `${known.width} × ${known.height}`,
    features: known.features,
    geometries: Object.entries(known.geometries ?? {})
      .map(([kind, count]) => `${count} ${kind}`)
      .join(', '),
    vertices: known.vertices,
    created: `${moment(dataset.createdAt)} by ${people.displayName(dataset.createdBy)}`,
    updated: `${moment(dataset.updatedAt)} by ${people.displayName(dataset.updatedBy)}`,
  });
  return [
    head,
    ...bandTable(known),
    ...fieldTable(known),
    ...members('METADATA', dataset.metadata),
    ...members('PROPERTIES', others),
  ];
}

const text = (value: unknown) => (typeof value === 'object' && value !== null ? JSON.stringify(value) : value);

/** The name in the WKT of a coordinate system; other texts are returned unchanged. */
const systemName = (reference: string) => /^\w+\["([^"]+)"/.exec(reference)?.[1] ?? reference.slice(0, 80);

/** Bounding box of a WKT geometry in longitude and latitude. */
function extent(wkt: string | undefined): string {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [, x, y] of (wkt ?? '').matchAll(/(-?[\d.]+(?:e[-+]?\d+)?) (-?[\d.]+(?:e[-+]?\d+)?)/gi)) {
    [west, south] = [Math.min(west, Number(x)), Math.min(south, Number(y))];
    [east, north] = [Math.max(east, Number(x)), Math.max(north, Number(y))];
  }
  const short = (value: number) => String(Number(value.toFixed(6)));
  return west > east ? '' : `${short(west)} ${short(south)} to ${short(east)} ${short(north)}`;
}

const rounded = (value: number | string | undefined) =>
  typeof value === 'number' ? String(Number(value.toPrecision(9))) : value;

const statisticCells = ({
  values,
  empty,
  minimum,
  maximum,
  mean,
  standardDeviation,
}: BandStatistics | FieldStatistics) => [
  values,
  empty,
  rounded(minimum),
  rounded(maximum),
  rounded(mean),
  rounded(standardDeviation),
];
const STATISTIC_HEADINGS = ['VALUES', 'EMPTY', 'MINIMUM', 'MAXIMUM', 'MEAN', 'DEVIATION'];

const bandTable = ({ bands = [] }: Statistics) =>
  bands.length === 0
    ? []
    : [
        table(
          ['BAND', 'NAME', 'UNIT', ...STATISTIC_HEADINGS],
          bands.map((one) => [one.band, one.name, one.unit, ...statisticCells(one)]),
        ),
      ];

const fieldTable = ({ fields = [] }: Statistics) =>
  fields.length === 0
    ? []
    : [
        table(
          ['FIELD', 'TYPE', ...STATISTIC_HEADINGS],
          fields.map((one) => [one.name, one.type, ...statisticCells(one)]),
        ),
      ];

/** Table of a free-form object: a row for each value, with its path. */
function members(heading: string, value: Record<string, unknown> | undefined): Table[] {
  const rows = leaves(value ?? {}, '');
  return rows.length === 0 ? [] : [table([heading, 'VALUE'], rows)];
}

function leaves(value: object, above: string): [string, string][] {
  return Object.entries(value).flatMap(([name, inner]): [string, string][] => {
    const path = above === '' ? name : `${above}.${name}`;
    const plainObject = typeof inner === 'object' && inner !== null && !Array.isArray(inner);
    if (plainObject && Object.keys(inner).length > 0) return leaves(inner, path);
    return [[path, plain(typeof inner === 'string' ? inner : JSON.stringify(inner))]];
  });
}
