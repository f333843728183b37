import type { Expression, FunctionName, Operator } from './expression.ts';

/** The value of a cell; NaN for no data. */
type Cell = (i: number) => number;

/** Calculates an expression cell by cell. */
export interface Calculation {
  /**
   * @param columns values of the names, in their order; NaN for no data
   * @returns the values, and the number of those that have no data because a division by zero or another result was
   * not finite
   */
  run(columns: readonly Float64Array[], count: number): { values: Float64Array; notFinite: number };
}

/** @param names of the columns; all names of the expression are among them */
export function compile(expression: Expression, names: readonly string[]): Calculation {
  const state = { columns: [] as readonly Float64Array[], failed: false };
  const cell = new Compiler(names, state).cellOf(expression);
  return {
    run(columns, count) {
      state.columns = columns;
      const values = new Float64Array(count);
      let notFinite = 0;
      for (let i = 0; i < count; i++) {
        state.failed = false;
        const value = cell(i);
        values[i] = value;
        if (state.failed && Number.isNaN(value)) notFinite++;
      }
      state.columns = [];
      return { values, notFinite };
    },
  };
}

const operators: Readonly<Record<Operator, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '^': (a, b) => a ** b,
  '<': (a, b) => (a < b ? 1 : 0),
  '<=': (a, b) => (a <= b ? 1 : 0),
  '=': (a, b) => (a === b ? 1 : 0),
  '!=': (a, b) => (a === b ? 0 : 1),
  '>=': (a, b) => (a >= b ? 1 : 0),
  '>': (a, b) => (a > b ? 1 : 0),
  and: (a, b) => (a !== 0 && b !== 0 ? 1 : 0),
  or: (a, b) => (a !== 0 || b !== 0 ? 1 : 0),
};

const ofOne: Readonly<Partial<Record<FunctionName, (a: number) => number>>> = {
  abs: Math.abs,
  sqrt: Math.sqrt,
  exp: Math.exp,
  ln: Math.log,
  log10: Math.log10,
  floor: Math.floor,
  ceil: Math.ceil,
  // halves away from zero
  round: (a) => Math.sign(a) * Math.round(Math.abs(a)),
};

class Compiler {
  readonly #names: readonly string[];
  readonly #state: { columns: readonly Float64Array[]; failed: boolean };

  constructor(names: readonly string[], state: { columns: readonly Float64Array[]; failed: boolean }) {
    this.#names = names;
    this.#state = state;
  }

  cellOf(expression: Expression): Cell {
    const state = this.#state;
    switch (expression.kind) {
      case 'number': {
        const { value } = expression;
        return () => value;
      }
      case 'item': {
        const column = this.#names.indexOf(expression.name);
        return (i) => state.columns[column]![i]!;
      }
      case 'negative': {
        const of = this.cellOf(expression.of);
        return (i) => -of(i);
      }
      case 'not': {
        const of = this.cellOf(expression.of);
        return (i) => {
          const value = of(i);
          return Number.isNaN(value) ? value : value === 0 ? 1 : 0;
        };
      }
      case 'operator': {
        const [left, right] = [this.cellOf(expression.left), this.cellOf(expression.right)];
        const operate = operators[expression.operator];
        return (i) => {
          const [a, b] = [left(i), right(i)];
          return Number.isNaN(a) || Number.isNaN(b) ? Number.NaN : this.#finite(operate(a, b));
        };
      }
      case 'call':
        return this.#call(
          expression.name,
          expression.operands.map((one) => this.cellOf(one)),
        );
    }
  }

  #call(name: FunctionName, operands: readonly Cell[]): Cell {
    const [first, second, third] = operands as [Cell, Cell, Cell];
    const one = ofOne[name];
    if (one !== undefined)
      return (i) => {
        const value = first(i);
        return Number.isNaN(value) ? value : this.#finite(one(value));
      };
    if (name === 'isnull') return (i) => (Number.isNaN(first(i)) ? 1 : 0);
    if (name === 'if')
      return (i) => {
        const condition = first(i);
        if (Number.isNaN(condition)) return condition;
        return condition === 0 ? third(i) : second(i);
      };
    if (name === 'coalesce')
      return (i) => {
        for (const operand of operands) {
          const value = operand(i);
          if (!Number.isNaN(value)) return value;
        }
        return Number.NaN;
      };
    // Math.min and Math.max of NaN are NaN
    const extreme = name === 'min' ? Math.min : Math.max;
    return (i) => {
      let value = first(i);
      for (let n = 1; n < operands.length; n++) value = extreme(value, operands[n]!(i));
      return value;
    };
  }

  #finite(value: number): number {
    if (Number.isFinite(value)) return value;
    this.#state.failed = true;
    return Number.NaN;
  }
}
