import type { Field } from 'hydrofiles/data';
import { invalidMember } from '../errors.ts';
import { COMPARED_AS, COMPARISONS, type Comparison, type Expression, parseLiteral } from './filter-expression.ts';

const MAX_DEPTH = 50;
const MAX_TERMS = 1000;
const SHOWN_NAMES = 20;

const KINDS = { number: 'a number', text: 'a text', boolean: 'true or false', time: 'a date or time' } as const;

/** Parses a filter: CQL2 text with comparisons of properties and literals. Literals may be unquoted. */
export function parseFilter(text: string, fields: readonly Field[]): Expression {
  return new FilterParser(text, fields).parse();
}

/** The expression of `name=value`. */
export function equality(name: string, value: string, fields: readonly Field[]): Expression {
  const field = fieldNamed(name, fields);
  if (field === undefined) throw noSuchProperty(name, name, fields);
  return { op: '=', field, value: checked(value, fields[field]!, name) };
}

/** The field with a name; without one in the same letter case, one in another. */
export function fieldNamed(name: string, fields: readonly Field[]): number | undefined {
  const exact = fields.findIndex((field) => field.name === name);
  const found = exact >= 0 ? exact : fields.findIndex((field) => field.name.toLowerCase() === name.toLowerCase());
  return found < 0 ? undefined : found;
}

export function noSuchProperty(name: string, member: string, fields: readonly Field[]): Error {
  const names = fields.slice(0, SHOWN_NAMES).map((field) => field.name);
  const more = fields.length > names.length ? ` and ${fields.length - names.length} more` : '';
  const known = names.length === 0 ? 'It has no properties' : `Its properties are ${names.join(', ')}${more}`;
  return invalidMember(member, `The dataset has no property '${name.slice(0, 100)}'. ${known}.`);
}

function checked(text: string, { name, type }: Field, member: string): string {
  const as = COMPARED_AS[type];
  if (parseLiteral(text, as) === undefined)
    throw invalidMember(
      member,
      `'${text.slice(0, 100)}' is not ${KINDS[as]}, and the property '${name}' has the type ${type}.`,
    );
  return text;
}

class FilterParser {
  readonly #text: string;
  readonly #fields: readonly Field[];
  /** Names without quotes are found by their length: they may have spaces. */
  readonly #byLength: readonly number[];
  #at = 0;
  #terms = 0;

  constructor(text: string, fields: readonly Field[]) {
    this.#text = text;
    this.#fields = fields;
    this.#byLength = fields.map((_, n) => n).toSorted((a, b) => fields[b]!.name.length - fields[a]!.name.length);
  }

  parse(): Expression {
    const expression = this.#or(0);
    this.#skip();
    if (this.#at < this.#text.length) this.#fail('the end of the filter, AND or OR');
    return expression;
  }

  #fail(expected: string): never {
    const rest = this.#text.slice(this.#at, this.#at + 40);
    const found = rest === '' ? 'at its end' : `before '${rest}'`;
    throw invalidMember('filter', `The filter has an error ${found}: expected ${expected}.`);
  }

  #skip(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at++;
  }

  /** The match of a sticky `pattern` at the current position. */
  #take(pattern: RegExp): string | undefined {
    this.#skip();
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #or(depth: number): Expression {
    if (depth > MAX_DEPTH)
      throw invalidMember('filter', `The filter is nested more than ${MAX_DEPTH} levels deep. Write it flatter.`);
    const of = [this.#and(depth)];
    while (this.#take(/or\b/iy)) of.push(this.#and(depth));
    return of.length === 1 ? of[0]! : { op: 'or', of };
  }

  #and(depth: number): Expression {
    const of = [this.#not(depth)];
    while (this.#take(/and\b/iy)) of.push(this.#not(depth));
    return of.length === 1 ? of[0]! : { op: 'and', of };
  }

  #not(depth: number): Expression {
    let negated = false;
    while (this.#take(/not\b/iy)) negated = !negated;
    const of = this.#primary(depth);
    return negated ? { op: 'not', of } : of;
  }

  #primary(depth: number): Expression {
    if (!this.#take(/\(/iy)) return this.#predicate();
    const inner = this.#or(depth + 1);
    if (!this.#take(/\)/iy)) this.#fail("')'");
    return inner;
  }

  #predicate(): Expression {
    if (++this.#terms > MAX_TERMS) throw invalidMember('filter', `The filter has more than ${MAX_TERMS} comparisons.`);
    const reversed = this.#name() === undefined ? this.#reversed() : undefined;
    if (reversed !== undefined) return reversed;
    const field = this.#property();
    const op = this.#take(/<>|<=|>=|!=|[=<>]/iy);
    if (op !== undefined) {
      const comparison = (op === '!=' ? '<>' : op) as Comparison;
      return { op: COMPARISONS.find((one) => one === comparison)!, field, value: this.#literal(field) };
    }
    if (this.#take(/is\b/iy)) {
      const negated = this.#take(/not\b/iy) !== undefined;
      if (!this.#take(/null\b/iy)) this.#fail('NULL');
      return negated ? { op: 'not', of: { op: 'null', field } } : { op: 'null', field };
    }
    const negated = this.#take(/not\b/iy) !== undefined;
    const of = this.#listed(field);
    return negated ? { op: 'not', of } : of;
  }

  /** A comparison that begins with its literal: `5 < depth`. */
  #reversed(): Expression | undefined {
    const start = this.#at;
    const text = this.#take(/'(?:[^']|'')*'|[+-]?[\d.]+(?:e[+-]?\d+)?(?![\p{L}\p{N}_])/iuy);
    const op = text === undefined ? undefined : this.#take(/<>|<=|>=|[=<>]/iy);
    if (text === undefined || op === undefined) {
      this.#at = start;
      return undefined;
    }
    const field = this.#property();
    const value = text.startsWith("'") ? text.slice(1, -1).replaceAll("''", "'") : text;
    const mirrored = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' }[op] ?? op;
    const comparison = COMPARISONS.find((one) => one === mirrored)!;
    return { op: comparison, field, value: checked(value, this.#fields[field]!, 'filter') };
  }

  #listed(field: number): Expression {
    const word = this.#take(/(i?like|in|between)\b/iy)?.toLowerCase();
    switch (word) {
      case 'like':
      case 'ilike':
        return { op: 'like', field, pattern: this.#literal(field, true), anyCase: word === 'ilike' };
      case 'in': {
        if (!this.#take(/\(/iy)) this.#fail("'('");
        const values = [this.#literal(field)];
        while (this.#take(/,/iy)) values.push(this.#literal(field));
        if (!this.#take(/\)/iy)) this.#fail("',' or ')'");
        this.#terms += values.length;
        return { op: 'in', field, values };
      }
      case 'between': {
        const low = this.#literal(field);
        if (!this.#take(/and\b/iy)) this.#fail('AND');
        const high = this.#literal(field);
        return {
          op: 'and',
          of: [
            { op: '>=', field, value: low },
            { op: '<=', field, value: high },
          ],
        };
      }
    }
    return this.#fail('=, <>, <, <=, >, >=, LIKE, IN, BETWEEN or IS NULL');
  }

  #property(): number {
    const quoted = this.#take(/"(?:[^"]|"")*"/iy);
    if (quoted !== undefined) {
      const name = quoted.slice(1, -1).replaceAll('""', '"');
      const field = fieldNamed(name, this.#fields);
      if (field === undefined) throw noSuchProperty(name, 'filter', this.#fields);
      return field;
    }
    const found = this.#name();
    if (found !== undefined) {
      this.#at += this.#fields[found]!.name.length;
      return found;
    }
    const name = this.#take(/[^\s=<>!(),'"]+/iy);
    if (name === undefined) this.#fail('the name of a property');
    throw noSuchProperty(name, 'filter', this.#fields);
  }

  /** The field whose unquoted name is at the current position. */
  #name(): number | undefined {
    this.#skip();
    return this.#nameHere((text) => text) ?? this.#nameHere((text) => text.toLowerCase());
  }

  /** The longest field name at the current position. */
  #nameHere(folded: (text: string) => string): number | undefined {
    return this.#byLength.find((field) => {
      const { name } = this.#fields[field]!;
      const end = this.#at + name.length;
      return (
        name !== '' &&
        folded(this.#text.slice(this.#at, end)) === folded(name) &&
        !/[\p{L}\p{N}_]/u.test(this.#text[end] ?? '')
      );
    });
  }

  /** The text of a literal: quoted, DATE('…'), TIMESTAMP('…'), or words without quotes. */
  #literal(field: number, isPattern = false): string {
    const call = this.#take(/(date|timestamp)\s*\(/iy);
    const quoted = this.#take(/'(?:[^']|'')*'/iy);
    if (call !== undefined && (quoted === undefined || !this.#take(/\)/iy))) this.#fail("a text in quotes and ')'");
    const bare = quoted === undefined ? this.#take(/[^\s(),'"]+(?:\s+(?!(?:and|or)\b)[^\s(),'"]+)*/iy) : undefined;
    const text = quoted === undefined ? bare?.trim() : quoted.slice(1, -1).replaceAll("''", "'");
    if (text === undefined || (quoted === undefined && text === '')) this.#fail('a value');
    return isPattern ? text : checked(text, this.#fields[field]!, 'filter');
  }
}
