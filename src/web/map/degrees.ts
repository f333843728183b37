const STEPS = [0.000001, 0.000002, 0.000005, 0.00001, 0.00002, 0.00005, 0.0001, 0.0002, 0.0005].concat([
  0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30,
]);

/** A round number of degrees, not less than asked for unless that is more than 30. */
export const degreeStep = (least: number): number => STEPS.find((step) => step >= least) ?? 30;

/** The multiples of a step between two ends. */
export function linesBetween(low: number, high: number, step: number): number[] {
  const [first, last] = [Math.ceil(low / step), Math.floor(high / step)];
  if (!(last - first < 200)) return [];
  return Array.from({ length: last - first + 1 }, (_, n) => Number(((first + n) * step).toFixed(6)));
}

/** Degrees with their side, with as many decimals as lines that far apart need. */
export function degreeText(degrees: number, sides: 'EW' | 'NS', apart = 1): string {
  const wrapped = sides === 'EW' ? ((((degrees + 180) % 360) + 360) % 360) - 180 : degrees;
  const digits = apart >= 1 || !(apart > 0) ? 0 : Math.ceil(-Math.log10(apart) - 1e-9);
  const text = Math.abs(wrapped).toFixed(digits);
  if (Number(text) === 0) return '0°';
  return `${text}°\u{202F}${wrapped > 0 ? sides[0] : sides[1]}`;
}

/** A place as text: latitude before longitude, as sailors and surveyors say it. */
export const placeText = ([longitude, latitude]: readonly [number, number], digits = 5): string =>
  `${degreeText(latitude, 'NS', 10 ** -digits)}, ${degreeText(longitude, 'EW', 10 ** -digits)}`;
