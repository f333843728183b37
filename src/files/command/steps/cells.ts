import { type Command, InvalidArgumentError } from 'commander';
import { type SideOption, sideInput } from './side-input.ts';

/** The options of all transformations that make cells. */
export interface CellOptions {
  cellSize?: number | number[];
  extent?: number[];
  like?: SideOption;
}

export const cellOptions = (command: Command): Command =>
  command
    .option('--cell-size <size>', 'resample to cells of this size: 25, or width and height as 25,50', cellSize)
    .option('--extent <w,s,e,n>', 'resample to this extent: west, south, east and north', extent)
    .option('--like <grid>', 'resample to the cells of this grid: a file or a dataset', sideInput);

/** The members of a transformation; undefined without any of the options. */
export function cellMembers({ cellSize, extent, like }: CellOptions): object | undefined {
  const members = {
    ...(cellSize === undefined ? {} : { cellSize }),
    ...(extent === undefined ? {} : { extent }),
    ...(like === undefined ? {} : { like }),
  };
  return Object.keys(members).length === 0 ? undefined : members;
}

const numbers = (text: string): number[] =>
  text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));

function cellSize(text: string): number | number[] {
  const sizes = numbers(text);
  if (sizes.length > 2 || !sizes.every((size) => size > 0 && Number.isFinite(size)))
    throw new InvalidArgumentError('It must be a positive number such as 25, or two such as 25,50.');
  return sizes.length === 1 ? sizes[0]! : sizes;
}

function extent(text: string): number[] {
  const [west, south, east, north, ...more] = numbers(text) as [number, number, number, number];
  if (more.length === 0 && [west, south, east, north].every(Number.isFinite) && west < east && south < north)
    return [west, south, east, north];
  throw new InvalidArgumentError('It must be west, south, east and north, such as 500000,5800000,510000,5812000.');
}
