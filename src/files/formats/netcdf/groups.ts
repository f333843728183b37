import { ConversionError } from '../../errors.ts';
import type { Context } from '../define.ts';
import { shortened } from '../io/cf/variable.ts';
import type { NetCdfFile, NetCdfGroup } from './netcdf-file.ts';

/** Maximum number of groups that a message names. */
const mostNamed = 20;

/**
 * The group of that path; without one the root, or the only group that has variables.
 * @throws ConversionError for a path that the file does not have, or for several groups with variables
 */
export function chosenGroup(file: NetCdfFile, path: string | undefined, { reportLoss }: Context): NetCdfGroup {
  const filled = file.filter(({ variables }) => variables.size > 0);
  const [first] = file;
  if (path === undefined) {
    const root = filled.find((group) => group.path === '/');
    const chosen = root ?? (filled.length === 1 ? filled[0]! : undefined);
    if (chosen === undefined && filled.length > 1)
      throw new ConversionError(
        `Several groups have variables: ${listed(filled)}. Choose one with the parameter Group.`,
      );
    const others = filled.filter((group) => group !== chosen);
    if (others.length > 0)
      reportLoss(`The groups ${listed(others)} were left out. The parameter Group reads another one.`);
    return chosen ?? first!;
  }
  const wanted = `/${path
    .split('/')
    .filter((part) => part !== '')
    .join('/')}`;
  const found = file.find((group) => group.path === wanted);
  if (found === undefined)
    throw new ConversionError(`The file has no group '${shortened(path)}'. Groups with variables: ${listed(filled)}.`);
  return found;
}

function listed(groups: readonly NetCdfGroup[]): string {
  const named = groups.slice(0, mostNamed).map(({ path }) => `'${shortened(path)}'`);
  return `${named.join(', ')}${groups.length > named.length ? ` and ${groups.length - named.length} more` : ''}`;
}
