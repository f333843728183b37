import { invalidMember } from '../errors.ts';

/** Setting `credits.prices`: credits by name of a reader or writer, and `memoryGbHour`. Empty: everything is free. */
export type Prices = Readonly<Record<string, number>>;

const MEMORY = 'memorygbhour';
const HOUR_MS = 3_600_000;

/** Price of one transfer. */
export interface Price {
  /** Fixed price of reader and writer. */
  fixed: number;
  perHour: number;
  /** Credits that the start reserves. */
  reserved: number;
  maxCredits?: number;
  /** Milliseconds that `maxCredits` pays for, if these are fewer than the time limit. */
  timeLimitMs?: number;
}

export interface Priced {
  readerName: string;
  writerName: string;
  memoryMb: number;
  maxCredits?: number | undefined;
  /** Milliseconds. */
  timeLimit: number;
}

/** Price of a transfer. Undefined: it is free. Throws `invalid` if `maxCredits` is below the fixed part. */
export function computePrice(prices: Prices, transfer: Priced): Price | undefined {
  const of = new Map(Object.entries(prices).map(([name, credits]) => [name.toLowerCase(), credits]));
  const priceFor = (name: string) => of.get(name.toLowerCase()) ?? 0;
  const fixed = sixPlaces(priceFor(transfer.readerName) + priceFor(transfer.writerName));
  const perHour = sixPlaces((priceFor(MEMORY) * transfer.memoryMb) / 1024);
  const whole = sixPlaces(fixed + (perHour * transfer.timeLimit) / HOUR_MS);
  if (whole === 0) return undefined;
  const { maxCredits } = transfer;
  if (maxCredits === undefined || maxCredits >= whole) return { fixed, perHour, reserved: whole };
  if (maxCredits < fixed)
    throw invalidMember('maxCredits', `maxCredits is ${maxCredits}, but reader and writer cost ${fixed}.`);
  const timeLimitMs = Math.max(1, Math.floor(((maxCredits - fixed) / perHour) * HOUR_MS));
  return { fixed, perHour, reserved: maxCredits, maxCredits, timeLimitMs };
}

const sixPlaces = (value: number) => Math.round(value * 1e6) / 1e6;

/** Throws if a price names neither a reader or writer nor the memory. */
export function checkPriceNames(prices: Prices, known: readonly string[]): void {
  const all = new Set([MEMORY, ...known.map((name) => name.toLowerCase())]);
  const unknown = Object.keys(prices).find((name) => !all.has(name.toLowerCase()));
  if (unknown !== undefined) throw new Error(`credits.prices: '${unknown}' is not a reader, a writer or memoryGbHour.`);
}
