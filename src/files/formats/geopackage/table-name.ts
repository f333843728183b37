import type { Context } from '../define.ts';

/**
 * A name that no other table has. Names that begin with those of system tables get a letter before them.
 * @param taken names in lower case, to which this one is added
 */
export function tableName(
  wanted: string | undefined,
  taken: Set<string>,
  { reportLoss }: Pick<Context, 'reportLoss'>,
): string {
  const given = (wanted ?? '').toWellFormed().replaceAll('\0', '').trim() || 'layer';
  const base = /^(?:gpkg|rtree|sqlite)_/i.test(given) ? `_${given}` : given;
  let name = base;
  for (let n = 2; taken.has(name.toLowerCase()); n++) name = `${base}_${n}`;
  taken.add(name.toLowerCase());
  if (wanted !== undefined && name !== wanted)
    reportLoss(`The layer '${wanted.slice(0, 80)}' was called '${name.slice(0, 80)}'.`);
  return name;
}
