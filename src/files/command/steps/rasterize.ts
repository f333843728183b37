import { type Command, Option } from 'commander';
import { type CellOptions, cellMembers } from './cells.ts';

export interface RasterizeOptions extends CellOptions {
  rasterize?: string;
  allTouched?: true;
  rasterizeMethod?: string;
}

/** Without the options of cells, which `resample` has. */
export const rasterizeOptions = (command: Command): Command =>
  command
    .option(
      '--rasterize <field>',
      'burn this field of the features, or this number, into cells by --cell-size or --like',
    )
    .option('--all-touched', 'rasterize to all cells that a feature touches')
    .addOption(
      new Option('--rasterize-method <method>', 'value where features overlap; default: last').choices([
        'last',
        'sum',
        'min',
        'max',
      ]),
    );

export function readRasterize(options: RasterizeOptions): unknown[] {
  const { rasterize: field, allTouched, rasterizeMethod: method } = options;
  if (field === undefined) return [];
  const value = field.trim() === '' ? Number.NaN : Number(field);
  const rasterize = {
    ...(Number.isFinite(value) ? { value } : { field }),
    ...cellMembers(options),
    ...(allTouched === undefined ? {} : { allTouched }),
    ...(method === undefined ? {} : { method }),
  };
  return [{ type: 'rasterizeTransformation', rasterize }];
}
