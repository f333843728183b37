import { type Command, InvalidArgumentError } from 'commander';

export interface CalculateOptions {
  calculate?: Calculated[];
  keepItems?: boolean;
}

interface Calculated {
  name: string;
  expression: string;
}

export const calculateOptions = (command: Command): Command =>
  command
    .option(
      '--calculate <name = expression>',
      "calculate an item from others, as 'depth = [Water level] - bed'; may be repeated",
      calculated,
    )
    .option('--keep-items', 'keep the items of the data beside the calculated ones');

export function readCalculate({ calculate, keepItems }: CalculateOptions): unknown[] {
  if (calculate === undefined) return [];
  return [{ type: 'calculateTransformation', calculate, ...(keepItems ? { keep: true } : {}) }];
}

/** Parser of `name = expression`, with the name in brackets if it has other characters than letters, digits and `_`. */
function calculated(text: string, before: readonly Calculated[] = []): Calculated[] {
  const [, bracketed, bare, expression] = /^\s*(?:\[([^\]]+)\]|([\p{L}\p{N}_]+))\s*=(?!=)(.*)$/su.exec(text) ?? [];
  const name = bracketed ?? bare;
  if (name !== undefined && expression !== undefined && expression.trim() !== '')
    return [...before, { name, expression: expression.trim() }];
  throw new InvalidArgumentError("It must be a name and an expression, such as 'depth = surface - bed'.");
}
