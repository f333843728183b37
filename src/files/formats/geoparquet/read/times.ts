import { timeUnits } from '../parquet/constants.ts';

/** A unit of times: how many there are in a second, and digits of a fraction of it. */
interface Unit {
  readonly perSecond: number;
  readonly digits: number;
}

export const units: Readonly<Record<number, Unit>> = {
  [timeUnits.millis]: { perSecond: 1000, digits: 3 },
  [timeUnits.micros]: { perSecond: 1_000_000, digits: 6 },
  [timeUnits.nanos]: { perSecond: 1_000_000_000, digits: 9 },
};

const [secondsPerDay, millisPerDay] = [86_400, 86_400_000];
/** The day 1970-01-01 in the days of Julian astronomers, from noon to noon. */
const julianEpoch = 2_440_588;

/** Texts of days, of which columns often have the same again. */
const days = new Map<number, string | null>();
const maxDays = 1 << 14;

/** Null for a day beyond what can be written. */
function isoDay(day: number): string | null {
  const known = days.get(day);
  if (known !== undefined) return known;
  const date = new Date(day * millisPerDay);
  // years beyond 9999 have a sign and six digits
  const text = Number.isNaN(date.getTime()) ? null : date.toISOString().slice(0, -14);
  if (days.size >= maxDays) days.clear();
  days.set(day, text);
  return text;
}

const twoDigits = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'));

function clockText(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  return `${twoDigits[hours]}:${twoDigits[minutes - 60 * hours]}:${twoDigits[seconds - 60 * minutes]}`;
}

/** `2024-12-31` of days since 1970-01-01. */
export const dayText = (day: unknown): string => isoDay(day as number) ?? `${day} days since 1970-01-01`;

function trimmed(fraction: number, digits: number): string {
  if (fraction === 0) return '';
  let [rest, places] = [fraction, digits];
  for (; rest % 10 === 0; places--) rest /= 10;
  return `.${String(rest).padStart(places, '0')}`;
}

export const timeOfDayText =
  (unit: number) =>
  (value: unknown): string => {
    const { perSecond, digits } = units[unit] ?? units[timeUnits.micros]!;
    const [seconds, fraction] = split(value as number | bigint, perSecond);
    const isInDay = seconds >= 0 && seconds < secondsPerDay;
    return isInDay ? `${clockText(seconds)}${trimmed(fraction, digits)}` : `${value} / ${perSecond} s`;
  };

/** Times of a column as counts of a unit since 1970. */
export class Instants {
  readonly #zone: 'Z' | '';
  readonly #unit: Unit;

  constructor(zone: 'Z' | '', unit: Unit) {
    this.#zone = zone;
    this.#unit = unit;
  }

  get isUtc(): boolean {
    return this.#zone === 'Z';
  }

  /** `2024-12-31T23:59:59.5Z`. */
  readonly text = (value: unknown): string => {
    const { perSecond } = this.#unit;
    const [seconds, fraction] = split(value as number | bigint, perSecond);
    return this.#text(seconds, fraction) ?? `${value} / ${perSecond} s since 1970-01-01`;
  };

  #text(seconds: number, fraction: number): string | undefined {
    const day = Math.floor(seconds / secondsPerDay);
    const text = isoDay(day);
    if (text === null) return undefined;
    return `${text}T${clockText(seconds - day * secondsPerDay)}${trimmed(fraction, this.#unit.digits)}${this.#zone}`;
  }

  /** Milliseconds, with fractions. */
  readonly milliseconds = (value: unknown): number => {
    const { perSecond } = this.#unit;
    const [seconds, fraction] = split(value as number | bigint, perSecond);
    return seconds * 1000 + fraction / (perSecond / 1000);
  };

  /** A time of 96 bits: nanoseconds of the day, and the day. */
  readonly int96 = (bytes: Buffer, start: number): string => {
    const [seconds, fraction] = int96At(bytes, start);
    return this.#text(seconds, fraction) ?? `${seconds} s since 1970-01-01`;
  };

  readonly int96Milliseconds = (bytes: Buffer, start: number): number => {
    const [seconds, fraction] = int96At(bytes, start);
    return seconds * 1000 + fraction / 1e6;
  };
}

/** Seconds since 1970, and nanoseconds. */
function int96At(bytes: Buffer, start: number): [seconds: number, nanoseconds: number] {
  const [seconds, fraction] = split(bytes.readBigInt64LE(start), 1_000_000_000);
  const days = bytes.readUInt32LE(start + 8) - julianEpoch;
  return [(days * millisPerDay) / 1000 + seconds, fraction];
}

/** Whole seconds, and the rest. */
function split(value: number | bigint, perSecond: number): [seconds: number, fraction: number] {
  if (typeof value === 'number') {
    const seconds = Math.floor(value / perSecond);
    return [seconds, value - seconds * perSecond];
  }
  const per = BigInt(perSecond);
  const fraction = ((value % per) + per) % per;
  return [Number((value - fraction) / per), Number(fraction)];
}
