/** A unit as UDUNITS understands it: value in base units = value · scale + offset. */
export interface ParsedUnit {
  readonly scale: number;
  readonly offset: number;
  /** Exponents of metre, kilogram, second, kelvin, mole, ampere. */
  readonly dimensions: readonly number[];
}

type Dimensions = readonly [m: number, kg: number, s: number, K: number, mol: number, A: number];
const none: Dimensions = [0, 0, 0, 0, 0, 0];
const metre: Dimensions = [1, 0, 0, 0, 0, 0];
const square: Dimensions = [2, 0, 0, 0, 0, 0];
const cubic: Dimensions = [3, 0, 0, 0, 0, 0];
const kilogram: Dimensions = [0, 1, 0, 0, 0, 0];
const second: Dimensions = [0, 0, 1, 0, 0, 0];
const kelvin: Dimensions = [0, 0, 0, 1, 0, 0];
const mole: Dimensions = [0, 0, 0, 0, 1, 0];
const ampere: Dimensions = [0, 0, 0, 0, 0, 1];
const newton: Dimensions = [1, 1, -2, 0, 0, 0];
const pascal: Dimensions = [-1, 1, -2, 0, 0, 0];
const joule: Dimensions = [2, 1, -2, 0, 0, 0];
const watt: Dimensions = [2, 1, -3, 0, 0, 0];
const volt: Dimensions = [2, 1, -3, 0, 0, -1];
const ohm: Dimensions = [2, 1, -3, 0, 0, -2];
const siemens: Dimensions = [-2, -1, 3, 0, 0, 2];

interface Word {
  /** As UDUNITS spells it. */
  readonly udunits: string;
  readonly scale: number;
  readonly dimensions: Dimensions;
  readonly offset?: number;
}

const foot = 0.3048;
const surveyFoot = 1200 / 3937;
const pound = 0.45359237;

/** UDUNITS' spelling, size in base units, dimensions, other spellings; and the temperature of zero in kelvin. */
const table: readonly (readonly [
  udunits: string,
  scale: number,
  dimensions: Dimensions,
  others: string,
  offset?: number,
])[] = [
  ['m', 1, metre, 'metre meter M Meter'],
  ['ft', foot, metre, 'foot feet Feet'],
  ['US_survey_foot', surveyFoot, metre, 'US_survey_feet FeetUS feetUS'],
  ['inch', 0.0254, metre, 'in inches'],
  ['yard', 0.9144, metre, 'Yard yd yards'],
  ['mile', 1609.344, metre, 'miles mi'],
  ['nautical_mile', 1852, metre, 'nmile'],
  ['hectare', 1e4, square, 'ha'],
  ['acre', 4046.8726098742522, square, ''],
  ['l', 1e-3, cubic, 'L litre liter'],
  ['US_liquid_gallon', 231 * 0.0254 ** 3, cubic, 'gallon gal'],
  ['Canadian_liquid_gallon', 4.54609e-3, cubic, 'gallonUK galUK'],
  ['g', 1e-3, kilogram, 'gram'],
  ['kg', 1, kilogram, 'kilogram'],
  ['t', 1e3, kilogram, 'ton tonne metric_ton'],
  ['lb', pound, kilogram, 'pound pounds'],
  ['oz', pound / 16, kilogram, 'ounce'],
  ['s', 1, second, 'second sec'],
  ['min', 60, second, 'minute'],
  ['h', 3600, second, 'hour hr hrs'],
  ['day', 86_400, second, 'd Day days'],
  ['common_year', 31_536_000, second, ''],
  ['Hz', 1, [0, 0, -1, 0, 0, 0], 'hertz'],
  ['K', 1, kelvin, 'kelvin degK degree_K degrees_K degreesK Kelvin'],
  ['degree_Celsius', 1, kelvin, 'celsius Celsius degC degreeC degree_C degrees_C degreesC degrees_Celsius °C', 273.15],
  [
    'degree_Fahrenheit',
    5 / 9,
    kelvin,
    'fahrenheit Fahrenheit degF degree_F degrees_F degrees_Fahrenheit',
    (459.67 * 5) / 9,
  ],
  ['mol', 1, mole, 'mole moles'],
  ['A', 1, ampere, 'ampere amp'],
  ['N', 1, newton, 'newton'],
  ['Pa', 1, pascal, 'pascal Pascal'],
  ['bar', 1e5, pascal, ''],
  ['millibar', 100, pascal, 'mb mbar'],
  ['decibar', 1e4, pascal, 'dbar'],
  ['psi', 6894.757293168361, pascal, ''],
  ['J', 1, joule, 'joule'],
  ['W', 1, watt, 'watt'],
  ['V', 1, volt, 'volt'],
  ['ohm', 1, ohm, 'Ohm'],
  ['S', 1, siemens, 'siemens'],
  ['knot', 1852 / 3600, [1, 0, -1, 0, 0, 0], 'kt knots'],
  ['radian', 1, none, 'rad radians'],
  [
    'degree',
    Math.PI / 180,
    none,
    'degrees deg degrees_north degrees_east degree_north degree_east degrees_true degree_true',
  ],
  ['percent', 0.01, none, '%'],
  ['1', 1, none, 'PSU psu - () ** Integer'],
];

const words = new Map<string, Word>();
for (const [udunits, scale, dimensions, others, offset] of table)
  for (const spelling of [udunits, ...others.split(' ').filter((one) => one !== '')])
    words.set(spelling, { udunits, scale, dimensions, ...(offset === undefined ? {} : { offset }) });

const prefixes: Readonly<Record<string, number>> = {
  T: 1e12,
  G: 1e9,
  M: 1e6,
  k: 1e3,
  h: 100,
  d: 0.1,
  c: 0.01,
  m: 1e-3,
  u: 1e-6,
  µ: 1e-6,
  n: 1e-9,
};
const prefixNames: Readonly<Record<string, string>> = {
  tera: 'T',
  giga: 'G',
  mega: 'M',
  kilo: 'k',
  hecto: 'h',
  deci: 'd',
  centi: 'c',
  milli: 'm',
  micro: 'u',
  nano: 'n',
};
/** Units that have prefixes, by symbol. */
const prefixed = /^(?:m|g|s|l|L|mol|A|N|Pa|bar|J|W|V|S|Hz|K|t|ohm|Ohm)$/;

function wordOf(text: string): Word | undefined {
  const known = words.get(text) ?? words.get(text.replace(/(?<=..)s$/, ''));
  if (known !== undefined) return known;
  for (const [name, symbol] of Object.entries(prefixNames))
    if (text.startsWith(name)) {
      const base = wordOf(text.slice(name.length));
      if (base !== undefined && prefixed.test(base.udunits))
        return { ...base, udunits: `${symbol}${base.udunits}`, scale: base.scale * prefixes[symbol]! };
    }
  const base = prefixed.test(text.slice(1)) ? words.get(text.slice(1)) : undefined;
  const factor = prefixes[text[0] ?? ''];
  if (base === undefined || factor === undefined) return undefined;
  return { ...base, udunits: `${text[0] === 'µ' ? 'u' : text[0]}${base.udunits}`, scale: base.scale * factor };
}

/** Symbols of EUM whose parts mean something else alone. */
const spellings: readonly (readonly [RegExp, string])[] = [
  [/^(?:delta\*)?degree\*/i, ''],
  [/\bfeet\*US\b/g, 'US_survey_foot'],
  [/\bmu\*/g, 'u'],
  [/\bcubic\*(\w+)/g, '$1^3'],
  [/\bsquare\*(\w+)/g, '$1^2'],
  [/nautical\*mile/, 'nautical_mile'],
  [/^per\*/, '/'],
  [/\bmicrog\b/, 'ug'],
  [/\bmicrom\b/, 'um'],
  [/\b(?:meg|mill)al\b/, 'unknown'],
  [/\bmillil\b/, 'ml'],
  [/\bmillis\b/, 'ms'],
  [/\byears?\b/, 'common_year'],
];

interface Factor {
  readonly word: Word;
  readonly power: number;
}

const longest = 200;

/** Factors of a unit of UDUNITS or EUM, and its number; undefined for one that is not known. */
function factorsOf(text: string): { factors: Factor[]; number: number } | undefined {
  if (text.length > longest) return undefined;
  let left = text.trim();
  for (const [pattern, spelling] of spellings) left = left.replace(pattern, spelling);
  const token =
    /[\s*.·]*(?:(\/|\bper\b)[\s*.·]*)?(?:(\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)(?![A-Za-z])|([A-Za-z_%°µ]+)(?:\^|\*\*)?([-+]?\d+)?|([-()]|\*\*))/y;
  const factors: Factor[] = [];
  let number = 1;
  while (token.lastIndex < left.length) {
    const found = token.exec(left);
    if (found === null) return undefined;
    const [, over, digits, name, exponent, other] = found;
    const sign = over === undefined ? 1 : -1;
    if (digits !== undefined) {
      number *= Number(digits) ** sign;
      continue;
    }
    const word = wordOf(name ?? other!);
    if (word === undefined) return undefined;
    factors.push({ word, power: sign * Number(exponent ?? 1) });
  }
  return { factors, number };
}

/** A unit of UDUNITS, or a symbol of EUM; undefined for one that is not known. */
export function parseUnit(text: string): ParsedUnit | undefined {
  const found = factorsOf(text);
  if (found === undefined) return undefined;
  const { factors, number } = found;
  let scale = number;
  const dimensions = [0, 0, 0, 0, 0, 0];
  for (const { word, power } of factors) {
    scale *= word.scale ** power;
    for (const [n, exponent] of word.dimensions.entries()) dimensions[n]! += exponent * power;
  }
  // A temperature has its zero only alone: a difference per metre does not.
  const [only] = factors;
  const offset = factors.length === 1 && only!.power === 1 && number === 1 ? (only!.word.offset ?? 0) : 0;
  return { scale, offset, dimensions };
}

/** Whether values in one unit can be converted to the other. */
export const isConvertible = (one: ParsedUnit, other: ParsedUnit): boolean =>
  one.dimensions.every((exponent, n) => exponent === other.dimensions[n]);

export const isSameUnit = (one: ParsedUnit, other: ParsedUnit): boolean =>
  isConvertible(one, other) && one.offset === other.offset && Math.abs(one.scale / other.scale - 1) < 1e-9;

/** A symbol of EUM as UDUNITS spells it, such as `m3 s-1`; undefined for one that UDUNITS does not know. */
export function udunitsOf(symbol: string): string | undefined {
  const found = factorsOf(symbol);
  if (found === undefined) return undefined;
  const { factors, number } = found;
  const named = factors.filter(({ word }) => word.udunits !== '1');
  const texts = named.map(({ word, power }) => `${word.udunits}${power === 1 ? '' : power}`);
  if (number !== 1) texts.unshift(String(number));
  return texts.length === 0 ? '1' : texts.join(' ');
}
