import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { MOSAIC_METHODS, type MosaicMethod, STACK_AXES, type StackAxis } from '../convert/steps/join-shapes.ts';
import { srid } from './options.ts';
import { type CalculateOptions, calculateOptions, readCalculate } from './steps/calculate.ts';
import { type ContoursOptions, contoursOptions, readContours } from './steps/contours.ts';
import { type ProfileOptions, profileOptions, readProfile } from './steps/profile.ts';
import { type RasterizeOptions, rasterizeOptions, readRasterize } from './steps/rasterize.ts';
import { type RedefineOptions, readRedefinitions, redefineOptions } from './steps/redefine.ts';
import { type ResampleOptions, readResample, resampleOptions } from './steps/resample.ts';
import { readZonalStatistics, type ZonalStatisticsOptions, zonalStatisticsOptions } from './steps/zonal-statistics.ts';

/** Options of the transformations between reader and writer. */
export interface TransformationOptions
  extends ResampleOptions,
    ContoursOptions,
    RedefineOptions,
    CalculateOptions,
    ProfileOptions,
    RasterizeOptions,
    ZonalStatisticsOptions {
  items?: (string | number)[];
  clip?: Clip;
  clipSrid?: number;
  toSrid?: number;
  statistics?: boolean;
  from?: string;
  to?: string;
  steps?: Steps;
  layers?: Interval;
  mosaic?: MosaicMethod;
  stack?: StackAxis;
}

/** Whether all files become one. */
export const isJoined = ({ mosaic, stack }: TransformationOptions): boolean => (mosaic ?? stack) !== undefined;

/** Options of commands that join many files. */
export const joinOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--mosaic <method>', 'join all grids into one; which value counts where several have data')
        .choices(MOSAIC_METHODS)
        .conflicts('stack'),
    )
    .addOption(new Option('--stack <axis>', 'join the steps, or the items, of all files into one').choices(STACK_AXES));

/** Inclusive interval; an absent end is that of the data. */
interface Interval {
  from?: number;
  to?: number;
}

/** An interval of steps, or a list of them. */
type Steps = Interval | { indices: number[] };

/** A geometry in WKT, and the coordinate system of its file, if known. */
interface Clip {
  geometry: string;
  srid?: string;
}

export const transformationOptions = (command: Command): Command =>
  [
    filterOptions,
    resampleOptions,
    contoursOptions,
    rasterizeOptions,
    zonalStatisticsOptions,
    profileOptions,
    redefineOptions,
    calculateOptions,
  ].reduce((options, add) => add(options), command);

const filterOptions = (command: Command): Command =>
  command
    .option(
      '--items <list>',
      'only these bands or fields, in this order: names or numbers from 0, as a,b,2 or as JSON',
      items,
    )
    .option('--clip <area>', 'only data inside this area: WKT, or @FILE with WKT or GeoJSON', clip)
    .option(
      '--clip-srid <srid>',
      'coordinate system of --clip; default: that of its GeoJSON, else that of the data',
      srid,
    )
    .option('--to-srid <srid>', 'transform into this coordinate system', srid)
    .option(
      '--from <time>',
      'only steps at this time or later, such as 2026-01-24T08:00:00, in the time zone of the data',
      time,
    )
    .option('--to <time>', 'only steps at this time or earlier', time)
    .option(
      '--steps <numbers>',
      'only these steps, from 0: an interval such as 0-10 or 5-, or a list such as 0,6,12',
      steps,
    )
    .option('--layers <numbers>', 'only these layers, from 0 at the bottom: 2, or an interval such as 0-2', interval)
    .option('--statistics', 'calculate statistics of the values: minimum, maximum, mean, standard deviation');

/**
 * Transformations of a request, cheapest first: filters before reprojection. Those that make other items come before
 * those that make other cells, and these before those that make data of another kind.
 */
export function readTransformations(options: TransformationOptions): unknown[] {
  const { items, clip, clipSrid, toSrid, statistics, layers, mosaic, stack } = options;
  const names = items?.filter((one) => typeof one === 'string') ?? [];
  const itemFilter = items?.map((one) => (typeof one === 'number' ? { itemIndices: [one] } : { names: [one] }));
  const oneFilter = items !== undefined && names.length === items.length ? { names } : itemFilter;
  const system = clipSrid === undefined ? clip?.srid : String(clipSrid);
  const spatialFilter = clip && { geometry: clip.geometry, ...(system === undefined ? {} : { SRID: system }) };
  return [
    ...(mosaic === undefined ? [] : [{ type: 'mosaicTransformation', mosaic: { method: mosaic } }]),
    ...(stack === undefined ? [] : [{ type: 'stackTransformation', stack: { by: stack } }]),
    ...(oneFilter === undefined ? [] : [{ type: 'itemFilterTransformation', itemFilter: oneFilter }]),
    ...temporalFilters(options).map((temporalFilter) => ({ type: 'temporalFilterTransformation', temporalFilter })),
    ...(layers === undefined
      ? []
      : [{ type: 'verticalFilterTransformation', verticalFilter: { type: 'VerticalIndexFilter', ...layers } }]),
    ...(spatialFilter === undefined ? [] : [{ type: 'spatialFilterTransformation', spatialFilter }]),
    ...(toSrid === undefined ? [] : [{ type: 'crsTransformation', outputSrid: String(toSrid) }]),
    ...readRedefinitions(options),
    ...readCalculate(options),
    // the options of cells belong to one of both
    ...(options.rasterize === undefined ? readResample(options) : readRasterize(options)),
    ...readContours(options),
    ...readZonalStatistics(options),
    ...readProfile(options),
    ...(statistics ? [{ type: 'calculateStatisticsTransformation' }] : []),
  ];
}

/** Filters by time before filters by index, which count the remaining steps. */
function temporalFilters({ from, to, steps }: TransformationOptions): unknown[] {
  const byTime = from !== undefined || to !== undefined;
  const type = steps !== undefined && 'indices' in steps ? 'TemporalIndexListFilter' : 'TemporalIndexFilter';
  return [
    ...(byTime ? [{ type: 'TemporalValueFilter', ...(from && { from }), ...(to && { to }) }] : []),
    ...(steps === undefined ? [] : [{ type, ...steps }]),
  ];
}

/** Parser of a date, with or without a time. */
function time(text: string): string {
  if (/^\d{4}-\d\d-\d\d(T\d\d:?\d\d:?\d\d(\.\d+)?Z?)?$/i.test(text.trim())) return text;
  throw new InvalidArgumentError('It must be a time such as 2026-01-24T08:00:00, or a day such as 2026-01-24.');
}

/** Parses the value of an option that takes the number or the name of an item. */
export const numberOrText = (text: string): number | string => (/^\d{1,9}$/.test(text.trim()) ? Number(text) : text);

/** Parses the value of an option that takes the number or the time of a step. */
export const stepOrTime = (text: string): number | string =>
  /^\d{1,9}$/.test(text.trim()) ? Number(text) : time(text);

/** `3`, `0-10`, `5-` or `-5`. */
function interval(text: string): Interval {
  const [from = '', to, ...more] = text.split('-').map((part) => part.trim());
  if (more.length > 0 || ![from, to ?? ''].every((part) => /^\d*$/.test(part)) || (from === '' && !to))
    throw new InvalidArgumentError('It must be a number such as 3, or an interval such as 0-10 or 5-.');
  if (from !== '' && to && Number(from) > Number(to))
    throw new InvalidArgumentError(`${from} is greater than ${to}. Write the lower number first.`);
  if (to === undefined) return { from: Number(from), to: Number(from) };
  return { ...(from === '' ? {} : { from: Number(from) }), ...(to === '' ? {} : { to: Number(to) }) };
}

function steps(text: string): Steps {
  if (!text.includes(',')) return interval(text);
  const list = text.split(',').map((one) => one.trim());
  if (!list.every((one) => /^\d+$/.test(one)))
    throw new InvalidArgumentError('It must be an interval such as 0-10, or a list such as 0,6,12.');
  return { indices: list.map(Number) };
}

/** Parser of `a,b,2`, or of JSON for names that contain a comma or are numbers. */
function items(text: string): (string | number)[] {
  const list = text.trimStart().startsWith('[')
    ? parsed(text)
    : text.split(',').map((one) => (/^\d+$/.test(one.trim()) ? Number(one) : one.trim()));
  const right = (one: unknown) => (typeof one === 'string' && one !== '') || Number.isSafeInteger(one);
  if (Array.isArray(list) && list.length > 0 && list.every(right)) return list;
  throw new InvalidArgumentError('It must be a list such as depth,velocity,2 or ["depth, low",2].');
}

function clip(text: string): Clip {
  if (!text.startsWith('@')) return { geometry: text };
  const path = text.slice(1);
  let content: string;
  try {
    content = readFileSync(path, 'utf8')
      .replace(/^\uFEFF/, '')
      .trim();
  } catch (error) {
    throw new InvalidArgumentError(`${path} cannot be read: ${(error as Error).message}`);
  }
  return content.startsWith('{') ? ofGeoJson(parsed(content) as Json, path) : { geometry: content };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InvalidArgumentError(`It is not JSON: ${(error as Error).message}`);
  }
}

interface Json {
  type?: unknown;
  crs?: { properties?: { name?: unknown } } | null;
  features?: unknown;
  geometry?: unknown;
  geometries?: unknown;
  coordinates?: unknown;
}

function ofGeoJson(json: Json, path: string): Clip {
  const geometries = collectGeometries(json);
  if (geometries.length === 0) throw new InvalidArgumentError(`${path} has no geometry.`);
  const texts = geometries.map(formatWkt);
  const geometry = texts.length === 1 ? texts[0]! : `GEOMETRYCOLLECTION (${texts.join(', ')})`;
  const name = json.crs?.properties?.name;
  if (typeof name !== 'string' || /CRS:?84/i.test(name)) return { geometry, srid: '4326' };
  const [, code] = /\b(?:EPSG)\b(?:.*[:/])?(\d{1,9})$/i.exec(name) ?? [];
  return { geometry, ...(code === undefined ? {} : { srid: code }) };
}

function collectGeometries({ type, features, geometry, ...rest }: Json): Json[] {
  if (type === 'FeatureCollection' && Array.isArray(features)) return features.flatMap(collectGeometries);
  if (type === 'Feature') return geometry ? [geometry as Json] : [];
  return [{ type, ...rest }];
}

function formatWkt({ type, coordinates, geometries }: Json): string {
  if (type === 'GeometryCollection' && Array.isArray(geometries))
    return `GEOMETRYCOLLECTION (${geometries.map(formatWkt).join(', ')})`;
  if (typeof type !== 'string' || !Array.isArray(coordinates))
    throw new InvalidArgumentError(`The GeoJSON has a ${String(type)} where a geometry should be.`);
  const text = typeof coordinates[0] === 'number' ? `(${position(coordinates)})` : lists(coordinates);
  return `${type.toUpperCase()} ${text}`;
}

const lists = (all: readonly unknown[]): string =>
  `(${all
    .map((one) => {
      if (!Array.isArray(one)) throw new InvalidArgumentError('The coordinates of the GeoJSON are not numbers.');
      return typeof one[0] === 'number' ? position(one) : lists(one);
    })
    .join(', ')})`;

const position = (numbers: readonly unknown[]): string => numbers.slice(0, 2).join(' ');
