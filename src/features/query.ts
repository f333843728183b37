import type { Field } from 'hydrofiles/data';
import { invalidMember } from '../errors.ts';
import type { Content } from './content.ts';
import { CRS84, crsNamed, type NamedCrs, storedName } from './crs-names.ts';
import type { Expression } from './filter-expression.ts';
import { equality, fieldNamed, noSuchProperty, parseFilter } from './filter-parser.ts';
import type { FeatureQuery } from './renderer.ts';

/** Parameters of a query of features, as they were sent. */
export interface FeatureParameters {
  bbox?: string | undefined;
  'bbox-crs'?: string | undefined;
  crs?: string | undefined;
  filter?: string | undefined;
  datetime?: string | undefined;
  properties?: readonly string[] | undefined;
  /** Other parameters: names of properties and the values that they must have. */
  others: readonly (readonly [name: string, value: string])[];
}

/** Throws `invalid` for a parameter that does not fit the features. */
export function parseQuery(content: Content, parameters: FeatureParameters): FeatureQuery {
  const { header, fields, location } = content;
  const { columns, geometryType, hasZ, hasM, box } = header;
  const output = outputCrs(content, parameters.crs);
  const filter = combineFilters(parameters, fields);
  const bbox = parameters.bbox === undefined ? undefined : parseBbox(content, parameters.bbox, parameters['bbox-crs']);
  const properties = parameters.properties && selected(parameters.properties, fields);
  const { crs } = location;
  return {
    header: { columns, geometryType, hasZ, hasM, ...(box && { box }) },
    ...(box === undefined && header.index === undefined ? { unbounded: true } : {}),
    ...(crs && { stored: crs.code === undefined ? { wkt: crs.wkt } : { authority: crs.authority!, code: crs.code } }),
    ...(bbox && { bbox }),
    ...(filter && { filter }),
    ...(properties && { properties }),
    ...(output && { output }),
  };
}

/**
 * The coordinate system of the answer: CRS 84 unless asked for another one; undefined if that of the data is not known.
 */
export function outputCrs({ location, dataset }: Content, crs: string | undefined): NamedCrs | undefined {
  if (location.crs !== undefined) return crs === undefined ? CRS84 : crsNamed('crs', crs);
  if (crs === undefined) return undefined;
  throw invalidMember(
    'crs',
    `The coordinate system of dataset '${dataset.id}' is not known, so its features cannot be transformed to '${crs.slice(0, 100)}'. Omit crs.`,
  );
}

function parseBbox({ location, dataset }: Content, text: string, crs: string | undefined): FeatureQuery['bbox'] {
  const numbers = text
    .split(',')
    .map((part) => (/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(part.trim()) ? Number(part) : NaN));
  if (![4, 6].includes(numbers.length) || !numbers.every(Number.isFinite))
    throw invalidMember('bbox', `bbox must be minX,minY,maxX,maxY, not '${text.slice(0, 100)}'.`);
  const [west, south, east, north] = (numbers.length === 4 ? numbers : [0, 1, 3, 4].map((n) => numbers[n]!)) as [
    number,
    number,
    number,
    number,
  ];
  if (location.crs === undefined && crs !== undefined)
    throw invalidMember(
      'bbox-crs',
      `The coordinate system of dataset '${dataset.id}' is not known. Omit bbox-crs, and give bbox in its coordinates.`,
    );
  const named = location.crs === undefined ? undefined : crs === undefined ? CRS84 : crsNamed('bbox-crs', crs);
  return { numbers: [west, south, east, north], ...(named && { crs: named }) };
}

function combineFilters(
  { filter, datetime, others }: FeatureParameters,
  fields: readonly Field[],
): Expression | undefined {
  const of = [
    ...others.map(([name, value]) => equality(name, value, fields)),
    ...(filter === undefined ? [] : [parseFilter(filter, fields)]),
    ...(datetime === undefined ? [] : during(datetime, fields)),
  ];
  return of.length <= 1 ? of[0] : { op: 'and', of };
}

const OPEN = ['', '..'];
const INSTANT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/i;

/**
 * The features of a time or interval, by any of their fields of dates and times. Without such a field, all match.
 * Clients send the interval for whichever field they filter by (QGIS before 3.30), so one field alone could leave out
 * what they look for.
 */
function during(datetime: string, fields: readonly Field[]): Expression[] {
  const ends = datetime.split('/');
  const [start = '', end = start] = ends;
  const isOpen = ends.length === 2 && (OPEN.includes(start) || OPEN.includes(end));
  if (ends.length > 2 || ![start, end].every((one) => INSTANT.test(one) || (isOpen && OPEN.includes(one))))
    throw invalidMember(
      'datetime',
      `datetime must be a time such as 2026-01-24T08:17:02Z, or an interval such as 2026-01-24/2026-02-01 or 2026-01-24/.., not '${datetime.slice(0, 100)}'.`,
    );
  // a date ends with its last moment
  const last = end.length === 10 ? `${end}T23:59:59.999Z` : end;
  const of = fields.flatMap(({ type }, field): Expression[] =>
    type === 'date' || type === 'dateTime'
      ? [
          {
            op: 'and',
            of: [
              ...(OPEN.includes(start) ? [] : [{ op: '>=', field, value: start } as const]),
              ...(OPEN.includes(end) ? [] : [{ op: '<=', field, value: last } as const]),
            ],
          },
        ]
      : [],
  );
  return of.length === 0 ? [] : [{ op: 'or', of }];
}

/** Numbers of the fields with these names; a name with commas stands alone. */
function selected(names: readonly string[], fields: readonly Field[]): number[] {
  const numbers = names.flatMap((text) => {
    const whole = fieldNamed(text, fields);
    if (whole !== undefined) return [whole];
    return text
      .split(',')
      .filter((name) => name !== '')
      .map((name) => {
        const field = fieldNamed(name, fields);
        if (field === undefined) throw noSuchProperty(name, 'properties', fields);
        return field;
      });
  });
  return [...new Set(numbers)];
}

/** The systems that a dataset names as those of its answers. Others can be asked for, too. */
export function offeredCrs({ location }: Content): { offered: string[]; stored?: string } {
  if (location.crs === undefined) return { offered: [] };
  const stored = storedName(location.crs)?.uri;
  const usual = ['EPSG:4326', 'EPSG:3857'].map((name) => crsNamed('crs', name).uri);
  return {
    offered: [...new Set([CRS84.uri, ...(stored === undefined ? [] : [stored]), ...usual])],
    ...(stored === undefined ? {} : { stored }),
  };
}
