import type { EumQuantity, Item } from '../item.ts';
import { type EumUnit, eumUnits, UNDEFINED_ITEM, UNDEFINED_UNIT } from './eum.ts';

/** Other words for the words of EUM's symbols, by UDUNITS and in common use. */
const words: Readonly<Record<string, string>> = {
  metre: 'm',
  metres: 'm',
  meter: 'm',
  meters: 'm',
  ft: 'feet',
  foot: 'feet',
  in: 'inch',
  mi: 'mile',
  yd: 'yard',
  sec: 's',
  second: 's',
  seconds: 's',
  min: 'minute',
  minutes: 'minute',
  h: 'hour',
  hr: 'hour',
  hours: 'hour',
  d: 'day',
  days: 'day',
  yr: 'year',
  years: 'year',
  liter: 'l',
  litre: 'l',
  L: 'l',
  ha: 'hectare',
  t: 'ton',
  lb: 'pound',
  oz: 'ounce',
  kn: 'knot',
  kt: 'knot',
  deg: 'degree',
  degrees: 'degree',
  '°': 'degree',
  rad: 'radian',
  '%': 'percent',
  degC: 'degree*Celsius',
  '°C': 'degree*Celsius',
  celsius: 'degree*Celsius',
  degree_Celsius: 'degree*Celsius',
  degrees_Celsius: 'degree*Celsius',
  degF: 'degree*Fahrenheit',
  '°F': 'degree*Fahrenheit',
  K: 'degree*Kelvin',
  kelvin: 'degree*Kelvin',
  Pa: 'pascal',
  hPa: 'hectopascal',
  kPa: 'kilopascal',
  mbar: 'millibar',
  W: 'watt',
  kW: 'kilowatt',
  MW: 'megawatt',
  J: 'joule',
  N: 'newton',
  μg: 'mu*g',
  µg: 'mu*g',
  ug: 'mu*g',
  '‰': 'per*thousand',
};

const wordOf = (word: string): string =>
  (Object.hasOwn(words, word) ? words[word] : word.length > 3 ? words[word.toLowerCase()] : undefined) ?? word;

const superscripts: Readonly<Record<string, string>> = { '⁻': '-', '¹': '1', '²': '2', '³': '3' };

/**
 * A unit as a product of powers in a fixed order, so that `m^3/s`, `m3 s-1`, `m³/s` and `m**3/sec` are equal. Undefined
 * for a text that is no product of powers.
 */
function canonical(text: string): string | undefined {
  const plain = text
    .trim()
    .replace(/[⁻¹²³]/g, (letter) => superscripts[letter]!)
    .replaceAll('**', '^');
  const whole = wordOf(plain);
  const powers = new Map<string, number>();
  let divides = false;
  for (const [token] of whole.matchAll(/\/|[^/\s*·.]+/g)) {
    if (token === '/') {
      divides = true;
      continue;
    }
    if (token === 'per') {
      divides = true;
      continue;
    }
    const [, base, power = '1'] = /^(.*?[^\d^+-])\^?([+-]?\d)?$/.exec(token) ?? [];
    if (base === undefined) return undefined;
    for (const word of wordOf(base).split('*'))
      powers.set(word, (powers.get(word) ?? 0) + (divides ? -1 : 1) * Number(power));
  }
  return [...powers]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([word, power]) => `${word}^${power}`)
    .join(' ');
}

let units: { exact: Map<string, EumUnit>; canonical: Map<string, EumUnit> } | undefined;

function tables() {
  const tables = { exact: new Map<string, EumUnit>(), canonical: new Map<string, EumUnit>() };
  const keep = (map: Map<string, EumUnit>, key: string | undefined, unit: EumUnit) => {
    if (key !== undefined && key !== '' && !map.has(key)) map.set(key, unit);
  };
  for (const unit of eumUnits()) {
    if (unit.code === UNDEFINED_UNIT) continue;
    keep(tables.exact, unit.symbol, unit);
    keep(tables.exact, unit.name, unit);
    keep(tables.canonical, canonical(unit.symbol), unit);
    keep(tables.canonical, canonical(unit.name), unit);
  }
  return tables;
}

/**
 * The EUM quantity of an item. Without one it is the undefined quantity, which takes any unit: that which the item's
 * text names.
 */
export function quantityOf({ eum, unit }: Pick<Item, 'eum' | 'unit'>): EumQuantity {
  if (eum !== undefined && (eum.item !== UNDEFINED_ITEM || eum.unit !== UNDEFINED_UNIT)) return eum;
  const named = unit === undefined ? undefined : findEumUnit(unit);
  return { item: UNDEFINED_ITEM, unit: named?.code ?? UNDEFINED_UNIT };
}

/**
 * The unit of EUM that a text names: by its symbol or name, or as a product of powers as UDUNITS writes it. Undefined
 * for other texts.
 */
export function findEumUnit(text: string): EumUnit | undefined {
  units ??= tables();
  const exact = units.exact.get(text);
  if (exact !== undefined) return exact;
  const key = canonical(text);
  return key === undefined ? undefined : units.canonical.get(key);
}
