import type { Item } from '../../../data/item.ts';
import type { Expression } from './expression.ts';

/** The unit of a value; `number`: a number, which takes that of the others; undefined: not known. */
type Unit = { readonly symbol: string } | 'number' | undefined;

/** Functions whose result has the unit of all their operands. */
const keepsUnit: readonly string[] = ['min', 'max', 'abs', 'floor', 'ceil', 'round', 'coalesce'];

/**
 * The symbol of the unit that an expression has by its operands: all of a sum agree, and products have one factor with
 * a unit. Undefined where this does not tell.
 */
export function unitOf(expression: Expression, itemOf: (name: string) => Pick<Item, 'unit'>): string | undefined {
  const unit = derived(expression, itemOf);
  return typeof unit === 'object' ? unit.symbol : undefined;
}

function derived(expression: Expression, itemOf: (name: string) => Pick<Item, 'unit'>): Unit {
  const of = (one: Expression) => derived(one, itemOf);
  switch (expression.kind) {
    case 'number':
      return 'number';
    case 'item': {
      const { unit } = itemOf(expression.name);
      return unit === undefined ? undefined : { symbol: unit };
    }
    case 'negative':
      return of(expression.of);
    case 'not':
      return undefined;
    case 'operator': {
      const [left, right] = [of(expression.left), of(expression.right)];
      if (expression.operator === '+' || expression.operator === '-') return common([left, right]);
      if (expression.operator === '*' && left === 'number') return right;
      if (expression.operator === '*' || expression.operator === '/') return right === 'number' ? left : undefined;
      return left === 'number' && right === 'number' ? 'number' : undefined;
    }
    case 'call': {
      const units = expression.operands.map(of);
      if (expression.name === 'if') return common(units.slice(1));
      if (keepsUnit.includes(expression.name)) return common(units);
      return units.every((unit) => unit === 'number') ? 'number' : undefined;
    }
  }
}

function common(units: readonly Unit[]): Unit {
  const [first, ...others] = units.filter((unit) => unit !== 'number');
  if (units.every((unit) => unit === 'number')) return 'number';
  return others.every((one) => one?.symbol === first?.symbol) ? first : undefined;
}

/** Whether an expression is a comparison or a condition, which has no unit by its nature. */
export const isCondition = (expression: Expression): boolean =>
  expression.kind === 'not' ||
  (expression.kind === 'operator' && !['+', '-', '*', '/', '^'].includes(expression.operator)) ||
  (expression.kind === 'call' && expression.name === 'isnull');
