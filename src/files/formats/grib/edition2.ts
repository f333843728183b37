import { FormatError } from '../../errors.ts';
import type { Field, FieldData, FieldGrid, FieldTime, Parameter, Process } from './field.ts';
import { surfaceLevel } from './levels.ts';
import { Octets } from './octets.ts';
import { productOf1, sampleOf1, sampleOf2 } from './samples.ts';
import { standardNameOf } from './standard-names.ts';
import { after, timeOfDate } from './times.ts';

/** Sections 0 and 1 of a message, which all of its fields share. */
export interface Identification {
  readonly discipline: number;
  readonly section: Buffer;
  readonly reference: number;
}

export function identification(discipline: number, section: Buffer, offset: number): Identification {
  const octets = new Octets(section);
  const date = [13, 15, 16, 17, 18, 19].map((octet) => octets.unsigned(octet, octet === 13 ? 2 : 1));
  return { discipline, section, reference: timeOfDate(date as never, offset) };
}

/** Where the parts of a product are that its template adds to template 4.0; octets of section 4. */
interface ProductTemplate {
  /** End of the interval, of values over one. The specification of the interval follows. */
  readonly end?: number;
  readonly member?: number;
  readonly derived?: (octets: Octets) => string;
  /** Octets that stand before the time, besides those of template 4.0. */
  readonly shift?: number;
}

const ofMembers = (octets: Octets): string =>
  [
    'mean of the members',
    'weighted mean of the members',
    'standard deviation of the members',
    'normalized standard deviation of the members',
    'spread of the members',
    'large anomaly index',
    'mean of a cluster',
    'interquartile range of the members',
    'minimum of the members',
    'maximum of the members',
  ][octets.unsigned(35, 1)] ?? `product ${octets.unsigned(35, 1)} of the members`;
const percentile = (octets: Octets): string => `percentile ${octets.unsigned(35, 1)}`;

function probability(octets: Octets): string {
  const [lower, upper] = [octets.scaled(38) ?? '?', octets.scaled(43) ?? '?'];
  const texts = [
    `below ${lower}`,
    `above ${upper}`,
    `between ${lower} and ${upper}`,
    `above ${lower}`,
    `below ${upper}`,
  ];
  return `probability ${texts[octets.unsigned(37, 1)] ?? `of type ${octets.unsigned(37, 1)}`}`;
}

/** Table 4.0, the templates whose products lie at one level or layer. */
const templates: Readonly<Record<number, ProductTemplate>> = {
  0: {},
  1: { member: 36 },
  2: { derived: ofMembers },
  5: { derived: probability },
  6: { derived: percentile },
  7: {},
  8: { end: 35 },
  9: { derived: probability, end: 48 },
  10: { derived: percentile, end: 36 },
  11: { member: 36, end: 38 },
  12: { derived: ofMembers, end: 37 },
  15: {},
  40: { shift: 2 },
  41: { shift: 2, member: 38 },
  42: { shift: 2, end: 37 },
  43: { shift: 2, member: 38, end: 40 },
  60: { member: 36 },
  61: { member: 36, end: 45 },
};

const processes: Readonly<Record<number, Process>> = {
  0: 'average',
  1: 'accumulation',
  2: 'maximum',
  3: 'minimum',
  4: 'difference',
};

/**
 * The field of a section 4.
 * @throws FormatError for a product template that is not supported
 */
export function fieldOfSection(
  section: Buffer,
  { discipline, section: first, reference }: Identification,
  { grid, data, offset }: { grid: FieldGrid; data: FieldData; offset: number },
): Field {
  const octets = new Octets(section);
  const number = octets.unsigned(8, 2);
  const template = templates[number];
  if (template === undefined)
    throw new FormatError(`The file has a product of the template 4.${number}, which is not supported.`, offset);
  const { shift = 0, member, derived } = template;
  const at = (octet: number) => octet + shift;
  const surface = (octet: number) => ({ type: octets.unsigned(octet, 1), value: octets.scaled(octet + 1) });
  const start = after(reference, octets.signed(at(19), 4), octets.unsigned(at(18), 1), 2, offset);
  const constituent = shift === 0 ? '' : `, constituent ${octets.unsigned(12, 2)}`;
  const parameter = parameterOf(discipline, first, octets, constituent);
  const made = derived?.(octets);
  return {
    offset,
    edition: 2,
    parameter,
    level: surfaceLevel(surface(at(23)), surface(at(29))),
    time:
      template.end === undefined
        ? { reference, valid: start }
        : overInterval(octets, template.end, reference, start, offset),
    ...(member === undefined ? {} : { member: octets.unsigned(member, 1) }),
    ...(made === undefined ? {} : { derived: made }),
    grid,
    data,
  };
}

function parameterOf(discipline: number, first: Buffer, octets: Octets, constituent: string): Parameter {
  const [category, number] = [octets.unsigned(10, 1), octets.unsigned(11, 1)];
  const known = new Octets(first);
  const tables = [known.unsigned(6, 2), known.unsigned(8, 2), known.unsigned(10, 1), known.unsigned(11, 1)];
  const own = category > 191 || number > 191 ? tables : tables.slice(2, 3);
  const standardName = constituent === '' ? standardNameOf(discipline, category, number) : undefined;
  const local = constituent === '' ? localParameter(known.unsigned(6, 2), discipline, category, number) : undefined;
  return {
    key: JSON.stringify([2, discipline, category, number, constituent, own]),
    label: `${discipline}-${category}-${number}${constituent}`,
    ...(standardName === undefined ? {} : { standardName }),
    sample: local === undefined ? sampleOf2(discipline, first, category, number) : sampleOf1(productOf1(ECMWF, local)),
  };
}

/** European Centre for Medium-Range Weather Forecasts (common table C-11). */
const ECMWF = 98;

/**
 * Table and number of GRIB 1 of a parameter that ECMWF has numbered itself: discipline 192 has the tables of GRIB 1 as
 * categories.
 */
function localParameter(centre: number, discipline: number, category: number, number: number) {
  if (centre !== ECMWF) return undefined;
  if (discipline === 192) return { table: category, number };
  // total precipitation
  return discipline === 0 && category === 1 && number === 193 ? { table: 128, number: 228 } : undefined;
}

function overInterval(octets: Octets, end: number, reference: number, from: number, offset: number): FieldTime {
  const date = [0, 2, 3, 4, 5, 6].map((n) => octets.unsigned(end + n, n === 0 ? 2 : 1));
  const process = processes[octets.unsigned(end + 12, 1)] ?? 'other';
  // Some centres leave the date out and give the length of the interval alone.
  const valid =
    date[0] === 0 || date[1] === 0
      ? after(from, octets.unsigned(end + 15, 4), octets.unsigned(end + 14, 1), 2, offset)
      : timeOfDate(date as never, offset);
  return { reference, valid, from, process };
}
