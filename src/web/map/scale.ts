/** An axis: the ends, round numbers or times on it, and their labels. */
export interface Axis {
  readonly low: number;
  readonly high: number;
  readonly ticks: readonly { readonly at: number; readonly label: string }[];
}

/** Round steps: 1, 2 or 5 times a power of ten. */
export function niceStep(span: number, count: number): number {
  const rough = span / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = rough / power;
  return (factor <= 1 ? 1 : factor <= 2 ? 2 : factor <= 5 ? 5 : 10) * power;
}

/** The axis of values. All values equal: one unit around them. */
export function valueAxis(values: Iterable<number>, count = 4): Axis {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (low > high) [low, high] = [0, 1];
  if (low === high) {
    const room = low === 0 ? 0.5 : Math.abs(low) / 100;
    [low, high] = [low - room, high + room];
  }
  const step = niceStep(high - low, count);
  const [first, last] = [Math.floor(low / step + 1e-9), Math.ceil(high / step - 1e-9)];
  const digits = digitsOf(step);
  const ticks = Array.from({ length: last - first + 1 }, (_, n) => {
    const at = (first + n) * step;
    return { at, label: numberText(at, digits) };
  });
  return { low: first * step, high: last * step, ticks };
}

const digitsOf = (step: number): number => Math.max(0, -Math.floor(Math.log10(step) + 1e-9));

/** A number with these decimals; very large and very small ones in powers of ten. */
function numberText(value: number, digits: number): string {
  if (digits > 6 || Math.abs(value) >= 1e7) return withMinus(value.toExponential(2).replace('e+', 'e'));
  const text = value.toFixed(digits);
  return withMinus(Number(text) === 0 ? (0).toFixed(digits) : text);
}

/** A minus is as wide as a plus; a hyphen is not. */
const withMinus = (text: string) => text.replaceAll('-', '\u{2212}');

/** A value with about four significant digits. */
export function valueText(value: number): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e7 || size < 1e-4) return withMinus(value.toExponential(3).replace('e+', 'e'));
  const digits = Math.max(0, 3 - Math.floor(Math.log10(size)));
  return withMinus(String(Number(value.toFixed(Math.min(8, digits)))));
}

/** An estimate from a colour: with no more digits than the ramp can tell apart. */
export function estimateText(value: number, low: number, high: number): string {
  const step = (high - low) / 256;
  if (!(step > 0)) return valueText(value);
  return numberText(value, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)));
}

const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];
const TIME_STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 5, 10, 20, 50, 100].map((n) => n * DAY),
];

/** The axis of times in milliseconds since 1970. */
export function timeAxis(low: number, high: number, count = 5): Axis {
  if (low === high) [low, high] = [low - HOUR, high + HOUR];
  const step = TIME_STEPS.find((one) => (high - low) / one <= count);
  const ticks = step === undefined ? yearTicks(low, high, count) : [];
  if (step !== undefined)
    for (let at = Math.ceil(low / step) * step; at <= high; at += step) ticks.push({ at, label: '' });
  const unit = step ?? 365 * DAY;
  const texts = ticks.map(({ at }) => new Date(at).toISOString());
  return {
    low,
    high,
    ticks: ticks.map(({ at }, n) => ({ at, label: tickLabel(texts[n]!, texts[n - 1], unit) })),
  };
}

/** Label of a tick: the date where it changes, else the time. */
function tickLabel(text: string, before: string | undefined, unit: number): string {
  const [date = '', time = ''] = text.split('T');
  if (unit >= 365 * DAY) return date.replace(/-01-01$/, '');
  if (unit >= DAY) return date;
  const clock = time.slice(0, unit < MINUTE ? 8 : 5);
  return before?.startsWith(date) ? clock : clock.startsWith('00:00') ? date : `${date.slice(5)} ${clock}`;
}

function yearTicks(low: number, high: number, count: number) {
  const years = Math.max(1, Math.round(niceStep((high - low) / (365.25 * DAY), count)));
  const ticks: { at: number; label: string }[] = [];
  let year = Math.ceil(new Date(low).getUTCFullYear() / years) * years;
  for (; ; year += years) {
    const at = Date.UTC(year, 0, 1);
    if (!(at <= high)) return ticks;
    if (at >= low) ticks.push({ at, label: '' });
  }
}
