import { type Command, Option } from 'commander';
import { type CellOptions, cellMembers, cellOptions } from './cells.ts';

export interface ResampleOptions extends CellOptions {
  resample?: string;
}

const methods = ['nearest', 'bilinear', 'cubic', 'average', 'sum', 'min', 'max', 'mode'];

export const resampleOptions = (command: Command): Command =>
  cellOptions(command).addOption(
    new Option('--resample <method>', 'method; default: bilinear for floats, nearest for integers').choices(methods),
  );

export function readResample({ resample: method, ...cells }: ResampleOptions): unknown[] {
  const members = cellMembers(cells);
  if (members === undefined && method === undefined) return [];
  const resample = { ...members, ...(method === undefined ? {} : { method }) };
  return [{ type: 'resampleTransformation', resample }];
}
