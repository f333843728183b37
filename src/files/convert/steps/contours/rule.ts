import type { LevelChoice } from '../../../geo/contour/levels.ts';
import { isListOf, isNumber, type Members } from '../request-members.ts';
import type { StepRule } from '../rule.ts';
import type { ContoursTransformation } from './transformation.ts';

/** Maximum number of levels in a list. */
const maxListed = 10_000;

export const contours: StepRule<ContoursTransformation> = {
  needs: 'place',
  makes: { grid: ['features'], mesh: ['features'] },
  makesNoPoints: true,
  read(members) {
    const one = members.object('contours', 'an object with levels or interval');
    if (one === undefined) return undefined;
    const isForm = (value: unknown): value is string =>
      typeof value === 'string' && ['lines', 'polygons'].includes(value.toLowerCase());
    const as = one.may('as', isForm, 'lines or polygons')?.toLowerCase() === 'polygons' ? 'polygons' : 'lines';
    const levels = readLevels(one, as);
    return levels && { type: 'ContoursTransformation', levels, as };
  },
  load: () => import('./step.ts'),
};

function readLevels(members: Members, as: ContoursTransformation['as']): LevelChoice | undefined {
  const levels = members.may('levels', isListOf(isNumber), 'a list of numbers');
  const interval = members.may('interval', isPositive, 'a positive number');
  const base = members.may('base', isNumber, 'a number');
  if (members.has('levels') === members.has('interval'))
    return members.refuse('levels', `${members.path} must have either levels or interval.`);
  if (members.has('levels') && members.has('base'))
    return members.refuse('base', `${members.pathOf('base')} belongs to interval, not to levels.`);
  if (levels === undefined) return interval === undefined ? undefined : { interval, base: base ?? 0 };
  if (levels.length > maxListed)
    return members.refuse(
      'levels',
      `${members.pathOf('levels')} has ${levels.length} levels; the maximum is ${maxListed}. Use interval.`,
    );
  if (as === 'polygons' && new Set(levels).size < 2)
    return members.refuse(
      'levels',
      `${members.pathOf('levels')} must have at least two levels, as polygons lie between them.`,
    );
  return { levels };
}

const isPositive = (value: unknown): value is number => isNumber(value) && value > 0;
