import type { Expression } from './expression.ts';

/** An item to calculate. */
export interface CalculatedItem {
  readonly name: string;
  readonly expression: Expression;
  /** Identifier, code or symbol of a unit. Absent: that of the operands, if they agree. */
  readonly unit?: string;
  /** Code of an EUM item. */
  readonly item?: number;
}

export interface CalculateTransformation {
  readonly type: 'CalculateTransformation';
  /** Each may name those before it. */
  readonly items: readonly CalculatedItem[];
  /** Whether the items of the data stay, before the calculated ones. */
  readonly keep: boolean;
}
