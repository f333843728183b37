import { eumUnit, eumUnitNamed, isEumPair } from '../../../data/eum/eum.ts';
import { findEumUnit } from '../../../data/eum/unit-text.ts';
import type { EumQuantity, Item } from '../../../data/item.ts';
import { ConversionError } from '../../../errors.ts';
import { type Calculation, compile } from './compile.ts';
import { namesIn } from './expression.ts';
import type { CalculatedItem, CalculateTransformation } from './transformation.ts';
import { isCondition, unitOf } from './units.ts';

/** Maximum number of items that a message names. */
const maxNamed = 50;
/** The greatest number that is finite in single precision. */
const MOST = 3.4028234663852886e38;

/** A column of an expression: an item of the data, or a calculated item before. */
type Source = { readonly item: number } | { readonly calculated: number };

interface Planned {
  readonly calculation: Calculation;
  readonly sources: readonly Source[];
  /** Items of the data that it needs, also through items calculated before. */
  readonly operands: readonly number[];
}

/** Calculates the values of new items from those of items of the data. */
export class Calculator<I extends Item> {
  /** The new items: single precision, with NaN for no data. */
  readonly items: readonly Item[];
  readonly #planned: Planned[] = [];
  /** Values that were not finite, by item and part of the data. */
  readonly #notFinite: Map<string, number>[] = [];
  readonly #remark: (sentence: string) => void;

  /** @param existing items of the data */
  constructor({ items }: CalculateTransformation, existing: readonly I[], remark: (sentence: string) => void) {
    this.#remark = remark;
    const made: Item[] = [];
    for (const item of items) {
      const names = [...new Map(namesIn(item.expression).map((one) => [one.name, one])).values()];
      const sources = names.map(({ name, at }) => this.#find(name, at, item, made, existing));
      const operands = sources.flatMap((one) => ('item' in one ? one.item : this.#planned[one.calculated]!.operands));
      if (operands.length === 0) throw new ConversionError(`The expression of '${item.name}' names no item.`);
      const calculation = compile(
        item.expression,
        names.map(({ name }) => name),
      );
      this.#planned.push({ calculation, sources, operands: [...new Set(operands)] });
      this.#notFinite.push(new Map());
      const itemOf = (name: string) => {
        const source = sources[names.findIndex((one) => one.name === name)]!;
        return 'item' in source ? existing[source.item]! : made[source.calculated]!;
      };
      const own = names.map(({ name }) => itemOf(name));
      made.push({
        name: item.name,
        type: 'Float32',
        nodata: Number.NaN,
        ...(isCondition(item.expression) ? {} : this.#kindOf(own)),
        ...this.#unitOf(item, own, itemOf),
      });
    }
    this.items = made;
  }

  /** Items of the data that any new item needs. */
  get operands(): readonly number[] {
    return [...new Set(this.#planned.flatMap(({ operands }) => operands))];
  }

  /** Items of the data that a new item needs. */
  operandsOf(n: number): readonly number[] {
    return this.#planned[n]!.operands;
  }

  /**
   * The values of a new item.
   * @param columns real values by item of the data, NaN for no data
   * @param part names the part of the data, so that a part that is read again is counted once
   */
  values(n: number, columns: ReadonlyMap<number, Float64Array>, count: number, part: string): Float32Array {
    const before = new Map<number, Float64Array>();
    const valuesOf = (calculated: number): Float64Array => {
      const known = before.get(calculated);
      if (known !== undefined) return known;
      const { calculation, sources } = this.#planned[calculated]!;
      const given = sources.map((one) => ('item' in one ? columns.get(one.item)! : valuesOf(one.calculated)));
      const { values, notFinite } = calculation.run(given, count);
      before.set(calculated, values);
      if (calculated === n) failed = notFinite;
      return values;
    };
    let failed = 0;
    const values = valuesOf(n);
    for (let i = 0; i < count; i++)
      if (Math.abs(values[i]!) > MOST) {
        values[i] = Number.NaN;
        failed++;
      }
    if (failed > 0) this.#notFinite[n]!.set(part, failed);
    return new Float32Array(values);
  }

  /** Tells how many values have no data because they were not finite; call after all values are read. */
  report(): void {
    for (const [n, parts] of this.#notFinite.entries()) {
      const values = [...parts.values()].reduce((sum, count) => sum + count, 0);
      if (values > 0)
        this.#remark(
          `${values === 1 ? '1 value' : `${values} values`} of '${this.items[n]!.name}' ${values === 1 ? 'has' : 'have'} no data: the result is not finite, such as of a division by zero.`,
        );
    }
  }

  #find(
    name: string,
    at: number,
    { name: own }: CalculatedItem,
    made: readonly Item[],
    existing: readonly I[],
  ): Source {
    const calculated = made.findIndex((one) => one.name === name);
    if (calculated >= 0) return { calculated };
    const matching = existing.flatMap((one, n) => (one.name === name ? [n] : []));
    if (matching.length === 1) return { item: matching[0]! };
    const number = /^\d{1,9}$/.test(name) ? Number(name) : -1;
    // items of some files have no names
    if (matching.length === 0 && number >= 0 && number < existing.length) return { item: number };
    const there = `At character ${at} of the expression of '${own}' is '${name.slice(0, 100)}'`;
    if (matching.length > 1)
      throw new ConversionError(
        `${there}, which several items are called. Use a number from 0 in brackets: ${matching.map((n) => `[${n}]`).join(', ')}.`,
      );
    const names = [...existing.map((one, n) => one.name ?? String(n)), ...made.map((one) => one.name!)].map((one) =>
      /^[\p{L}_][\p{L}\p{N}_]*$/u.test(one) ? one : `[${one.replaceAll(']', ']]')}]`,
    );
    const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
    throw new ConversionError(`${there}, which is no item. Items: ${names.slice(0, maxNamed).join(', ')}${more}.`);
  }

  /** The kind of value that all operands have. */
  #kindOf(operands: readonly Item[]): Pick<Item, 'valueKind'> {
    const [first, ...others] = operands;
    const { valueKind } = first!;
    return valueKind !== undefined && others.every((one) => one.valueKind === valueKind) ? { valueKind } : {};
  }

  #unitOf(
    { name, expression, unit, item }: CalculatedItem,
    operands: readonly Item[],
    itemOf: (name: string) => Item,
  ): Pick<Item, 'unit' | 'eum'> {
    const derived = unit ?? unitOf(expression, itemOf);
    const units = [...new Set(operands.map((one) => one.unit ?? 'none'))];
    if (derived === undefined && !isCondition(expression) && units.some((one) => one !== 'none'))
      this.#remark(`The item '${name}' has no unit: its operands have ${units.join(', ')}. Give it by unit.`);
    const known = derived === undefined ? undefined : (eumUnitNamed(derived) ?? findEumUnit(derived));
    const symbol = known?.symbol ?? derived;
    const named = symbol === undefined ? {} : { unit: symbol };
    if (item === undefined) return named;
    if (known === undefined) {
      this.#remark(`The quantity of '${name}' is left out: it has no unit of EUM.`);
      return named;
    }
    const eum: EumQuantity = { item, unit: known.code };
    if (isEumPair(eum)) return { ...named, eum };
    throw new ConversionError(
      `The item '${name}' has the unit ${eumUnit(known.code)?.name}, which its quantity does not have. Give another unit or item.`,
    );
  }
}
