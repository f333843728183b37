import { ConversionError } from '../../../errors.ts';
import { type Expression, FUNCTIONS, type FunctionName, type Operator } from './expression.ts';

const MOST_CHARACTERS = 4096;
const MOST_LEVELS = 64;

const NUMBER = /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const NAME = /[\p{L}_][\p{L}\p{N}_]*/uy;
/** A name in brackets; `]]` is a bracket of the name. */
const BRACKETS = /\[((?:[^\]]|\]\])*)\]/y;
const SYMBOL = /<=|>=|!=|==|[-+*/^<>=(),]/y;
const BLANKS = /\s*/y;

const COMPARISONS: readonly string[] = ['<', '<=', '=', '!=', '>=', '>'];
const RESERVED: readonly string[] = ['and', 'or', 'not'];

interface Token {
  readonly kind: 'number' | 'name' | 'bracketed' | 'symbol' | 'end';
  readonly text: string;
  /** Position in the text, from 0. */
  readonly at: number;
}

/**
 * Parses an expression: numbers, names of items, `+ - * / ^`, comparisons, `and or not`, functions.
 * @throws ConversionError with the position of the mistake
 */
export function parseExpression(text: string): Expression {
  if (text.length > MOST_CHARACTERS)
    throw new ConversionError(`The expression has ${text.length} characters. The maximum is ${MOST_CHARACTERS}.`);
  return new Parser(text).whole();
}

/** Recursive descent, from the operators that bind least to those that bind most. */
class Parser {
  readonly #text: string;
  #token: Token;
  #level = 0;

  constructor(text: string) {
    this.#text = text;
    this.#token = this.#scan(0);
  }

  whole(): Expression {
    const expression = this.#or();
    if (this.#token.kind !== 'end') throw this.#unexpected('an operator or the end');
    return expression;
  }

  #match(pattern: RegExp, at: number): string | undefined {
    pattern.lastIndex = at;
    return pattern.exec(this.#text)?.[0];
  }

  #scan(from: number): Token {
    const at = from + this.#match(BLANKS, from)!.length;
    if (at === this.#text.length) return { kind: 'end', text: '', at };
    for (const [kind, pattern] of [
      ['number', NUMBER],
      ['name', NAME],
      ['bracketed', BRACKETS],
      ['symbol', SYMBOL],
    ] as const) {
      const text = this.#match(pattern, at);
      if (text !== undefined) return { kind, text, at };
    }
    throw new ConversionError(
      this.#text[at] === '['
        ? `The bracket at character ${at + 1} of the expression is not closed.`
        : `At character ${at + 1} of the expression is ${this.#shown(at)}, which has no meaning there.`,
    );
  }

  #next(): Token {
    const token = this.#token;
    this.#token = this.#scan(token.at + token.text.length);
    return token;
  }

  /** Takes the token if it is this symbol or word. */
  #takes(...texts: readonly string[]): string | undefined {
    const { kind, text } = this.#token;
    if ((kind !== 'symbol' && kind !== 'name') || !texts.includes(text)) return undefined;
    return this.#next().text;
  }

  #shown(at: number): string {
    const rest = this.#text.slice(at);
    return `'${rest.slice(0, 20)}${rest.length > 20 ? '…' : ''}'`;
  }

  #unexpected(expected: string): ConversionError {
    const { kind, at } = this.#token;
    const there =
      kind === 'end' ? 'The expression ends' : `At character ${at + 1} of the expression is ${this.#shown(at)}`;
    return new ConversionError(`${there}. Expected ${expected}.`);
  }

  /** Parses something that stands inside of something else. */
  #within(parse: () => Expression): Expression {
    if (++this.#level > MOST_LEVELS)
      throw new ConversionError(
        `At character ${this.#token.at + 1} the expression is nested more than ${MOST_LEVELS} deep.`,
      );
    const expression = parse();
    this.#level--;
    return expression;
  }

  #chain(operators: readonly Operator[], operand: () => Expression): Expression {
    let left = operand();
    for (;;) {
      const operator = this.#takes(...operators) as Operator | undefined;
      if (operator === undefined) return left;
      left = { kind: 'operator', operator, left, right: operand() };
    }
  }

  #or = (): Expression => this.#chain(['or'], this.#and);
  #and = (): Expression => this.#chain(['and'], this.#not);

  #not = (): Expression =>
    this.#takes('not') === undefined ? this.#comparison() : { kind: 'not', of: this.#within(this.#not) };

  #comparison(): Expression {
    const left = this.#sum();
    const sign = this.#takes(...COMPARISONS, '==');
    if (sign === undefined) return left;
    const operator = (sign === '==' ? '=' : sign) as Operator;
    const comparison: Expression = { kind: 'operator', operator, left, right: this.#sum() };
    if ([...COMPARISONS, '=='].includes(this.#token.text) && this.#token.kind === 'symbol')
      throw this.#unexpected("'and' between comparisons, such as a < b and b < c");
    return comparison;
  }

  #sum = (): Expression => this.#chain(['+', '-'], this.#product);
  #product = (): Expression => this.#chain(['*', '/'], this.#signed);

  #signed = (): Expression => {
    if (this.#takes('-') !== undefined) return { kind: 'negative', of: this.#within(this.#signed) };
    if (this.#takes('+') !== undefined) return this.#within(this.#signed);
    return this.#power();
  };

  /** From right to left; it binds more than a sign before it, as -2^2 is -4, and less than one after it. */
  #power(): Expression {
    const left = this.#operand();
    if (this.#takes('^') === undefined) return left;
    return { kind: 'operator', operator: '^', left, right: this.#within(this.#signed) };
  }

  #operand(): Expression {
    const { kind, text, at } = this.#token;
    if (kind === 'number') {
      this.#next();
      const value = Number(text);
      if (!Number.isFinite(value))
        throw new ConversionError(`The number at character ${at + 1} of the expression is too large.`);
      if (this.#token.kind === 'name' && this.#token.at === at + text.length)
        throw new ConversionError(
          `At character ${at + 1} of the expression is ${this.#shown(at)}. Write names that begin with a digit in brackets.`,
        );
      return { kind: 'number', value };
    }
    if (kind === 'bracketed') {
      this.#next();
      return { kind: 'item', name: text.slice(1, -1).replaceAll(']]', ']'), at: at + 1 };
    }
    if (kind === 'name' && !RESERVED.includes(text)) {
      this.#next();
      if (this.#token.text === '(') return this.#call(text, at);
      return { kind: 'item', name: text, at: at + 1 };
    }
    if (this.#takes('(') === undefined) throw this.#unexpected("a number, an item, a function or '('");
    const inner = this.#within(this.#or);
    if (this.#takes(')') === undefined) throw this.#unexpected("')'");
    return inner;
  }

  #call(name: string, at: number): Expression {
    if (!Object.hasOwn(FUNCTIONS, name))
      throw new ConversionError(
        `At character ${at + 1} of the expression is the function '${name.slice(0, 40)}', which does not exist. Functions: ${Object.keys(FUNCTIONS).join(', ')}.`,
      );
    const [fewest, most] = FUNCTIONS[name as FunctionName];
    const operands: Expression[] = [];
    this.#next();
    if (this.#takes(')') === undefined) {
      do operands.push(this.#within(this.#or));
      while (this.#takes(',') !== undefined);
      if (this.#takes(')') === undefined) throw this.#unexpected("',' or ')'");
    }
    if (operands.length >= fewest && operands.length <= most)
      return { kind: 'call', name: name as FunctionName, operands };
    const count = fewest === most ? `${most}` : `at least ${fewest}`;
    throw new ConversionError(
      `At character ${at + 1} of the expression '${name}' has ${operands.length} operands. It takes ${count}.`,
    );
  }
}
