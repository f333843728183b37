import type { ResampleMethod } from '../../../geo/resample/resample-grid.ts';
import { isNumber, type Members } from '../request-members.ts';
import type { StepRule } from '../rule.ts';
import { readSideInput } from '../side-input.ts';
import { readSrid } from '../srid-member.ts';
import type { ResampleTransformation, WantedCells } from './transformation.ts';

const methods: readonly ResampleMethod[] = ['nearest', 'bilinear', 'cubic', 'average', 'sum', 'min', 'max', 'mode'];

export const resample: StepRule<ResampleTransformation> = {
  needs: 'place',
  makes: { grid: ['grid'], mesh: ['grid'], array: ['grid'] },
  read(members) {
    const one = members.object('resample', 'an object with cellSize, extent or like');
    if (one === undefined) return undefined;
    const cells = readCells(one);
    const method = readMethod(one);
    if (cells.cellSize === undefined && cells.extent === undefined && cells.like === undefined)
      one.refuse('cellSize', `${one.path} must have cellSize, extent or like.`);
    return { type: 'ResampleTransformation', ...cells, ...(method === undefined ? {} : { method }) };
  },
  sideInputs: ({ like }) => (like === undefined ? [] : [like]),
  load: () => import('./step.ts'),
};

function readMethod(members: Members): ResampleMethod | undefined {
  const is = (value: unknown): value is string =>
    typeof value === 'string' && methods.includes(value.toLowerCase() as ResampleMethod);
  return members.may('method', is, `one of ${methods.join(', ')}`)?.toLowerCase() as ResampleMethod | undefined;
}

/** Reads `cellSize`, `extent`, `like` and `SRID`. */
export function readCells(members: Members): WantedCells {
  const cellSize = members.may('cellSize', isCellSize, 'a positive number, or two of them: width and height');
  const extent = members.may('extent', isExtent, 'four numbers: west, south, east, north');
  const like = members.has('like') ? readSideInput(members, 'like') : undefined;
  const srid = members.has('SRID') ? readSrid(members, 'SRID') : undefined;
  if (extent !== undefined && members.has('like'))
    members.refuse('extent', `${members.path} cannot have both extent and like.`);
  return {
    ...(cellSize === undefined ? {} : { cellSize: typeof cellSize === 'number' ? [cellSize, cellSize] : cellSize }),
    ...(extent === undefined ? {} : { extent }),
    ...(like === undefined ? {} : { like }),
    ...(srid === undefined ? {} : { srid }),
  };
}

const isPositive = (value: unknown): value is number => isNumber(value) && value > 0;

const isCellSize = (value: unknown): value is number | [number, number] =>
  isPositive(value) || (Array.isArray(value) && value.length === 2 && value.every(isPositive));

const isExtent = (value: unknown): value is [number, number, number, number] =>
  Array.isArray(value) && value.length === 4 && value.every(isNumber) && value[0] < value[2] && value[1] < value[3];
