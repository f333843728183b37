import { ConversionError, FormatError } from '../../../errors.ts';
import { parseSrid, sridOf } from '../../../geo/crs/crs.ts';
import { parseGeometry } from '../../../geo/vector/wkt-geometry.ts';
import { isNumber, isText, type Members } from '../request-members.ts';
import type { StepRule } from '../rule.ts';
import { readSrid } from '../srid-member.ts';
import type { ProfileTransformation } from './transformation.ts';

/** Of a table of text, points are wanted; of files of grids, a line of values. */
export const profile: StepRule<ProfileTransformation> = {
  needs: 'place',
  makes: { grid: ['features', 'grid'], mesh: ['features', 'grid'] },
  read(members) {
    const one = members.object('profile', 'an object with line and spacing');
    if (one === undefined) return undefined;
    const text = one.need('line', isText, 'well-known text such as LINESTRING (0 0, 100 50)');
    const spacing = one.need('spacing', isPositive, 'a positive number');
    const isMethod = (value: unknown): value is string =>
      typeof value === 'string' && ['bilinear', 'nearest'].includes(value.toLowerCase());
    const given = one.may('method', isMethod, 'bilinear or nearest')?.toLowerCase();
    const own = one.has('SRID') ? readSrid(one, 'SRID') : undefined;
    const line = text === undefined ? undefined : readLine(one, text);
    if (line === undefined || spacing === undefined) return undefined;
    const srid = own ?? line.srid;
    return {
      type: 'ProfileTransformation',
      line: line.xy,
      spacing,
      method: given === 'nearest' ? 'nearest' : 'bilinear',
      ...(srid === undefined ? {} : { srid }),
    };
  },
  load: () => import('./step.ts'),
};

const isPositive = (value: unknown): value is number => isNumber(value) && value > 0;

function readLine(members: Members, text: string): { xy: Float64Array; srid?: string | undefined } | undefined {
  try {
    const { geometry, srid } = parseGeometry(text);
    if (geometry.type !== 'LineString')
      return members.refuse('line', `${members.pathOf('line')} must be a LINESTRING, not a ${geometry.type}.`);
    return { xy: geometry.coordinates, ...(srid === undefined ? {} : { srid: sridOf(parseSrid(srid)) }) };
  } catch (error) {
    if (!(error instanceof FormatError || error instanceof ConversionError)) throw error;
    return members.refuse('line', error.message);
  }
}
