import { clockText } from '../../data/date-text.ts';
import { thinSpace } from './text/lettering.ts';

export interface Tick {
  readonly value: number;
  readonly label: string;
}

/** Round numbers within an interval: multiples of 1, 2 or 5 times a power of ten, at most `most` of them. */
export function ticksBetween(low: number, high: number, most: number): Tick[] {
  if (!(high > low)) return [{ value: low, label: numberText(low) }];
  const step = roundStep((high - low) / Math.max(1, most));
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: count }, (_, n) => {
    const value = (first + n) * step;
    return { value, label: numberText(value, decimals) };
  });
}

/** The smallest of 1, 2, 5, 10, 20 … that is not below `least`. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * (([1, 2, 5] as const).find((factor) => factor * power >= least * (1 - 1e-9)) ?? 10);
}

function groupsOfThree(digits: string): string[] {
  const groups: string[] = [];
  for (let end = digits.length; end > 0; end -= 3) groups.unshift(digits.slice(Math.max(0, end - 3), end));
  return groups;
}

/**
 * Formats a number: groups of three digits from five digits on, a minus sign (−); very large and small numbers as
 * powers of ten.
 */
export function numberText(value: number, decimals?: number): string {
  const size = Math.abs(value);
  if (size >= 1e9 || (size > 0 && size < 1e-4 && (decimals ?? 9) > 6))
    return value
      .toExponential(decimals === undefined ? 3 : undefined)
      .replace('e+', 'e')
      .replace('-', '\u2212');
  const text = decimals === undefined ? String(Number(value.toPrecision(6))) : size.toFixed(decimals);
  const [whole = '', fraction] = text.replace('-', '').split('.');
  const grouped = whole.length < 5 ? whole : groupsOfThree(whole).join(thinSpace);
  const sign = value < 0 && Number(text) !== 0 ? '\u2212' : '';
  return `${sign}${grouped}${fraction === undefined ? '' : `.${fraction}`}`;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const month = 30.4 * day;
const year = 365.25 * day;

const evenSteps = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * second),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * minute),
  ...[1, 2, 3, 6, 12].map((n) => n * hour),
  ...[1, 2, 7].map((n) => n * day),
];
const monthSteps = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200];

/**
 * Round times between two, in milliseconds since 1970 on the data's own clock: from seconds to centuries. The label is
 * the time of day, at midnight the date; ticks of months and years have only these.
 */
export function timeTicks(low: number, high: number, most: number): Tick[] {
  const apart = (high - low) / Math.max(1, most);
  const even = evenSteps.find((step) => step >= apart);
  if (apart < second)
    return ticksBetween(low / second, high / second, most).map(({ value }) => clockTick(value * second, 1));
  if (even !== undefined && apart <= 7 * day) {
    const count = Math.floor(high / even) - Math.ceil(low / even) + 1;
    return Array.from({ length: count }, (_, n) => clockTick((Math.ceil(low / even) + n) * even, even));
  }
  const months = monthSteps.find((step) => step * month >= apart * 0.98) ?? Math.ceil(apart / year / 1000) * 12_000;
  const ticks: Tick[] = [];
  const start = new Date(low);
  for (let n = Math.floor((start.getUTCFullYear() * 12 + start.getUTCMonth()) / months) * months; ; n += months) {
    const value = Date.UTC(Math.floor(n / 12), n % 12);
    if (value > high || Number.isNaN(value)) return ticks;
    if (value >= low) ticks.push({ value, label: clockText(value).slice(0, months >= 12 ? 4 : 7) });
  }
}

function clockTick(value: number, step: number): Tick {
  const [date = '', clock = ''] = clockText(value).split('T');
  if (step >= day || value % day === 0) return { value, label: date };
  return { value, label: step >= minute ? clock.slice(0, 5) : clock };
}
