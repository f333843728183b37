import { z } from 'zod';
import { ConversionError } from '../../../errors.ts';
import type { Context } from '../../define.ts';
import { Srid } from '../../srid.ts';

/** Parameters of all readers of DFS files. */
export const readerParameters = {
  SRID: Srid.describe('SRID of the coordinate system, such as 25832. Overrides the file.').optional(),
  AllowedItemNames: z
    .array(z.string())
    .min(1)
    .describe('Names of the items to read, as a list. Default: all items.')
    .optional(),
};

export const readParameters = z.object(readerParameters);

/** Parameters of all writers of DFS files. */
export const writerParameters = {
  WriteAsFloat: z
    .boolean()
    .describe(
      'Write all items in single precision, as programs of MIKE expect it. False: items in double precision stay as they are. A file that nothing changes is copied as it is unless true is given.',
    )
    .meta({ default: true })
    .optional(),
};

export const writeParameters = z.object(writerParameters);

export interface WriterOptions {
  WriteAsFloat?: boolean | undefined;
}

/** Maximum number of items that a message names. */
const maxNamed = 50;

/**
 * Numbers of the items that `names` allows, in the order of the file.
 * @throws ConversionError when none is left
 */
export function allowedItems(
  items: readonly { readonly name?: string }[],
  names: readonly string[] | undefined,
  { log }: Pick<Context, 'log'>,
): number[] {
  const all = [...items.keys()];
  if (names === undefined) return all;
  const chosen = all.filter((n) => names.includes(items[n]!.name ?? ''));
  const there = quoted(items.map(({ name = '' }) => name));
  const missing = names.filter((name) => !items.some((item) => item.name === name));
  if (chosen.length === 0)
    throw new ConversionError(`None of the items ${quoted(missing)} is in the file, which has ${there}.`);
  if (missing.length > 0) log('warning', `AllowedItemNames has ${quoted(missing)}; the file has only ${there}.`);
  return chosen;
}

const quoted = (names: readonly string[]): string => {
  const shown = names.slice(0, maxNamed).map((name) => `'${name.slice(0, 80)}'`);
  return `${shown.join(', ')}${names.length > shown.length ? ` and ${names.length - shown.length} more` : ''}`;
};
