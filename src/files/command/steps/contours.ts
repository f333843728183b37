import { type Command, InvalidArgumentError } from 'commander';
import { UsageError } from '../errors.ts';

export interface ContoursOptions {
  contours?: { levels: number[] } | { interval: number };
  contourPolygons?: boolean;
}

export const contoursOptions = (command: Command): Command =>
  command
    .option(
      '--contours <levels>',
      'make lines on these levels: a list such as 0,5,10, or every:5 for the multiples of 5',
      levels,
    )
    .option('--contour-polygons', 'make polygons between the levels of --contours instead of lines');

/** @throws UsageError for polygons without levels */
export function readContours({ contours, contourPolygons }: ContoursOptions): unknown[] {
  if (contours === undefined && contourPolygons)
    throw new UsageError('--contour-polygons needs --contours, which gives the levels.');
  if (contours === undefined) return [];
  return [{ type: 'contoursTransformation', contours: { ...contours, ...(contourPolygons && { as: 'polygons' }) } }];
}

function levels(text: string): { levels: number[] } | { interval: number } {
  const [, every] = /^\s*every:(.+)$/i.exec(text) ?? [];
  const numbers = (every ?? text).split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (!numbers.every(Number.isFinite) || (every !== undefined && !(numbers.length === 1 && numbers[0]! > 0)))
    throw new InvalidArgumentError('It must be levels such as 0,5,10, or an interval such as every:5.');
  return every === undefined ? { levels: numbers } : { interval: numbers[0]! };
}
