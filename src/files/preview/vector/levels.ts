import { RequestError } from '../../errors.ts';
import { ticksBetween } from '../../geo/draw/ticks.ts';
import type { PreviewScheme } from '../preview.ts';

const mostLevels = 200;
/** Usual number of levels. */
const usual = 10;

/**
 * Levels of isolines: those that are named, the sides of the classes of a scheme, or about ten round numbers in its
 * range; of a logarithmic one 1, 2 and 5 times powers of ten.
 * @throws RequestError for wrong or too many levels
 */
export function isolineLevels(
  named: readonly number[] | undefined,
  { min, max, steps, log }: Pick<PreviewScheme, 'min' | 'max' | 'steps' | 'log'>,
): number[] {
  if (named !== undefined) {
    const wrong = named.find((level) => !Number.isFinite(level));
    if (wrong !== undefined) throw new RequestError(`A level of isolines must be a number, not ${wrong}.`);
    if (named.length > mostLevels)
      throw new RequestError(`There are ${named.length} levels of isolines; the maximum is ${mostLevels}.`);
    return [...new Set(named)].sort((one, other) => one - other);
  }
  if (!(max > min)) return [min];
  const isLog = log && min > 0;
  if (steps !== undefined)
    return Array.from({ length: Math.min(mostLevels, steps + 1) }, (_, n) =>
      rounded(isLog ? min * (max / min) ** (n / steps) : min + ((max - min) * n) / steps),
    );
  return isLog ? logarithmic(min, max) : ticksBetween(min, max, usual).map(({ value }) => rounded(value));
}

function logarithmic(min: number, max: number): number[] {
  const powers = Array.from(
    { length: Math.ceil(Math.log10(max)) - Math.floor(Math.log10(min)) + 1 },
    (_, n) => Math.floor(Math.log10(min)) + n,
  );
  const within = (factors: readonly number[]) =>
    powers
      .flatMap((power) => factors.map((factor) => rounded(factor * 10 ** power)))
      .filter((level) => level >= min && level <= max);
  const all = within([1, 2, 5]);
  return all.length <= 2 * usual ? all : within([1]);
}

/** Twelve digits: three times 0.1 is 0.3. */
const rounded = (value: number): number => Number(value.toPrecision(12));
