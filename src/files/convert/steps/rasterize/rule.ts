import type { BurnMethod } from '../../../geo/raster/burn.ts';
import { isNumber, isText } from '../request-members.ts';
import { readCells } from '../resample/rule.ts';
import type { StepRule } from '../rule.ts';
import type { RasterizeTransformation } from './transformation.ts';

const methods: readonly BurnMethod[] = ['last', 'sum', 'min', 'max'];

export const rasterize: StepRule<RasterizeTransformation> = {
  needs: 'place',
  makes: { features: ['grid'] },
  read(members) {
    const one = members.object('rasterize', 'an object with cellSize or like');
    if (one === undefined) return undefined;
    const cells = readCells(one);
    const field = one.may('field', isText, 'the name of a field');
    const value = one.may('value', isNumber, 'a number');
    const allTouched = one.may('allTouched', isBoolean, 'true or false');
    const method = one.may('method', isMethod, `one of ${methods.join(', ')}`)?.toLowerCase() as BurnMethod | undefined;
    if (cells.cellSize === undefined && cells.like === undefined)
      one.refuse('cellSize', `${one.path} must have cellSize or like.`);
    if (field !== undefined && value !== undefined)
      one.refuse('value', `${one.path} cannot have both field and value.`);
    return {
      type: 'RasterizeTransformation',
      ...cells,
      burn: field === undefined ? { value: value ?? 1 } : { field },
      allTouched: allTouched ?? false,
      method: method ?? 'last',
    };
  },
  sideInputs: ({ like }) => (like === undefined ? [] : [like]),
  load: () => import('./step.ts'),
};

const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';

const isMethod = (value: unknown): value is string =>
  typeof value === 'string' && methods.includes(value.toLowerCase() as BurnMethod);
