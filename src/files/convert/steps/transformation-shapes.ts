import { millisecondsOf, parseUtc } from '../../data/date-text.ts';
import type { Geometry } from '../../data/feature-collection.ts';
import type { CalculateTransformation } from './calculate/transformation.ts';
import type { ContoursTransformation } from './contours/transformation.ts';
import { readGeometry } from './geometry-member.ts';
import type { Join } from './join-shapes.ts';
import type { ProfileTransformation } from './profile/transformation.ts';
import type { RasterizeTransformation } from './rasterize/transformation.ts';
import type { ItemTransformation } from './redefine/transformation.ts';
import { isIndex, isListOf, isNumber, isText, type Members } from './request-members.ts';
import type { ResampleTransformation } from './resample/transformation.ts';
import { readSrid } from './srid-member.ts';
import type { ZonalStatisticsTransformation } from './zonal-statistics/transformation.ts';

export interface CrsTransformation {
  type: 'CrsTransformation';
  inputSrid?: string;
  outputSrid: string;
}

/** Changes no data; stores statistics of the values in the properties of the output dataset. */
export interface CalculateStatistics {
  type: 'CalculateStatisticsTransformation';
}

export interface ItemFilter {
  type: 'ItemFilterTransformation';
  /** Names or indices (from 0) of bands or fields, in the order of the output. */
  items: (string | number)[];
}

export interface SpatialFilter {
  type: 'SpatialFilterTransformation';
  /** In the CRS `srid`, by default that of the data at this step. */
  geometry: Geometry;
  srid?: string;
}

/**
 * A closed interval of times (milliseconds since 1970 on the data's clock, without zone) or of step indices. An absent
 * end is unbounded.
 */
export interface TemporalFilter {
  type: 'TemporalFilterTransformation';
  by: 'index' | 'time';
  from?: number;
  to?: number;
  /** Single times or indices, instead of an interval. */
  at?: number[];
  /** Indices that are left out, instead of an interval. */
  except?: number[];
}

/** A closed interval of heights or of layer indices (from 0, the lowest). An absent end is unbounded. */
export interface VerticalFilter {
  type: 'VerticalFilterTransformation';
  by: 'index' | 'height';
  from?: number;
  to?: number;
}

export type Transformation =
  | CrsTransformation
  | CalculateStatistics
  | ItemFilter
  | SpatialFilter
  | TemporalFilter
  | VerticalFilter
  | Join
  | ItemTransformation
  | ResampleTransformation
  | ContoursTransformation
  | RasterizeTransformation
  | ZonalStatisticsTransformation
  | CalculateTransformation
  | ProfileTransformation;

export function readCrs(members: Members): CrsTransformation | undefined {
  const inputSrid = members.has('inputSrid') ? readSrid(members, 'inputSrid') : undefined;
  if (!members.has('outputSrid')) members.refuse('outputSrid', `${members.pathOf('outputSrid')} is required.`);
  const outputSrid = readSrid(members, 'outputSrid');
  if (outputSrid === undefined) return undefined;
  return { type: 'CrsTransformation', ...(inputSrid === undefined ? {} : { inputSrid }), outputSrid };
}

/** Maximum number of bands of a GeoTIFF. */
const maxItems = 65_535;

export function readItemFilter(members: Members): ItemFilter {
  const items = members.objects('itemFilter', 'an object with itemIndices or names').flatMap((one) => {
    const indices = one.may('itemIndices', isListOf(isIndex), 'a list of indices, from 0') ?? [];
    const names = one.may('names', isListOf(isText), 'a list of names') ?? [];
    if (!one.has('itemIndices') && !one.has('names'))
      one.refuse('itemIndices', `${one.path} must have itemIndices or names.`);
    return [...indices, ...names];
  });
  if (items.length > maxItems)
    members.refuse(
      'itemFilter',
      `${members.pathOf('itemFilter')} names ${items.length} items; the maximum is ${maxItems}.`,
    );
  return { type: 'ItemFilterTransformation', items: [...new Set(items)] };
}

export function readSpatialFilter(members: Members): SpatialFilter | undefined {
  const filter = members.object('spatialFilter', 'an object with geometry and SRID');
  const read = filter && readGeometry(filter);
  return read && { type: 'SpatialFilterTransformation', ...read };
}

const temporal = {
  TemporalIndexFilter: { by: 'index', what: 'the index of a step, from 0' },
  TemporalValueFilter: { by: 'time', what: 'a time such as 2026-01-24T08:17:02' },
  TemporalIndexListFilter: { by: 'index', what: 'a list of indices of steps, from 0' },
} as const;

export function readTemporalFilter(members: Members): TemporalFilter | undefined {
  const kinds = Object.keys(temporal) as (keyof typeof temporal)[];
  const filter = members.object('temporalFilter', `an object with a type: ${kinds.join(', ')}`);
  const kind = filter && kindOf(filter, kinds);
  if (filter === undefined || kind === undefined) return undefined;
  const { by, what } = temporal[kind];
  if (kind === 'TemporalIndexListFilter') {
    if (filter.has('except')) {
      if (filter.has('indices')) filter.refuse('except', `${filter.path} must have one of indices and except.`);
      const except = filter.need('except', isListOf(isIndex), what);
      return except === undefined ? undefined : { type: 'TemporalFilterTransformation', by, except };
    }
    const at = filter.need('indices', isListOf(isIndex), what);
    return at === undefined ? undefined : { type: 'TemporalFilterTransformation', by, at };
  }
  const moment = (name: string) =>
    by === 'index' ? filter.may(name, isIndex, what) : parseTime(filter.may(name, isTime, what));
  const at = by === 'index' ? undefined : moment('at');
  return {
    type: 'TemporalFilterTransformation',
    by,
    ...interval(filter, moment('from'), moment('to')),
    ...(at === undefined ? {} : { at: [at] }),
  };
}

export function readVerticalFilter(members: Members): VerticalFilter | undefined {
  const kinds = ['VerticalIndexFilter', 'VerticalValueFilter'] as const;
  const filter = members.object('verticalFilter', `an object with a type: ${kinds.join(', ')}`);
  const kind = filter && kindOf(filter, kinds);
  if (filter === undefined || kind === undefined) return undefined;
  const byIndex = kind === 'VerticalIndexFilter';
  const end = (name: string) =>
    byIndex ? filter.may(name, isIndex, 'the index of a layer, from 0') : filter.may(name, isNumber, 'a height');
  const by = byIndex ? 'index' : 'height';
  return { type: 'VerticalFilterTransformation', by, ...interval(filter, end('from'), end('to')) };
}

function kindOf<K extends string>(filter: Members, kinds: readonly K[]): K | undefined {
  const is = (value: unknown): value is string =>
    typeof value === 'string' && kinds.some((one) => one.toLowerCase() === value.toLowerCase());
  const type = filter.need('type', is, `one of ${kinds.join(', ')}`);
  return kinds.find((one) => one.toLowerCase() === type?.toLowerCase());
}

function interval(filter: Members, from: number | undefined, to: number | undefined) {
  if (from !== undefined && to !== undefined && from > to)
    filter.refuse('to', `${filter.pathOf('to')} must not be less than from.`);
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}

const isTime = (value: unknown): value is string => typeof value === 'string' && parseTime(value) !== undefined;

/** A date, with or without a time, as milliseconds since 1970 on the data's clock. */
function parseTime(text: string | undefined): number | undefined {
  const parsed = text === undefined ? undefined : parseUtc(text);
  return parsed && millisecondsOf(parsed);
}
