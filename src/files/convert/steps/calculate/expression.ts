/** Functions by name, with the smallest and largest number of operands. */
export const FUNCTIONS = {
  if: [3, 3],
  min: [1, Infinity],
  max: [1, Infinity],
  abs: [1, 1],
  sqrt: [1, 1],
  exp: [1, 1],
  ln: [1, 1],
  log10: [1, 1],
  floor: [1, 1],
  ceil: [1, 1],
  round: [1, 1],
  isnull: [1, 1],
  coalesce: [1, Infinity],
} as const satisfies Record<string, readonly [number, number]>;
export type FunctionName = keyof typeof FUNCTIONS;

export type Operator = '+' | '-' | '*' | '/' | '^' | '<' | '<=' | '=' | '!=' | '>=' | '>' | 'and' | 'or';

/** A parsed expression. `at`: position of an item's name in the text, from 1. */
export type Expression =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'item'; readonly name: string; readonly at: number }
  | { readonly kind: 'negative' | 'not'; readonly of: Expression }
  | { readonly kind: 'operator'; readonly operator: Operator; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'call'; readonly name: FunctionName; readonly operands: readonly Expression[] };

/** The names of items in an expression, with their positions. */
export function namesIn(expression: Expression): { name: string; at: number }[] {
  switch (expression.kind) {
    case 'number':
      return [];
    case 'item':
      return [expression];
    case 'negative':
    case 'not':
      return namesIn(expression.of);
    case 'operator':
      return [...namesIn(expression.left), ...namesIn(expression.right)];
    case 'call':
      return expression.operands.flatMap(namesIn);
  }
}
