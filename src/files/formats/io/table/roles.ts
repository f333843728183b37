import { ConversionError } from '../../../errors.ts';
import { beginsLikeWkt } from '../wkt-reader.ts';
import type { Dialect } from './dialect.ts';
import type { TableParameters } from './parameters.ts';
import { guessTimes, type TimeParser, timesLike } from './times.ts';

/** What the columns hold; numbers of columns from 0. */
export interface Roles {
  readonly kind: 'features' | 'series';
  readonly place?: { readonly x: number; readonly y: number; readonly z?: number };
  readonly wkt?: number;
  readonly time?: { readonly column: number; readonly parser: TimeParser };
  /** Rows of one value each. */
  readonly long?: { readonly item: number; readonly value: number };
  /** x and y are longitude and latitude by their names. */
  readonly isGeographic?: true;
}

const longitudes = ['lon', 'long', 'longitude'];
const latitudes = ['lat', 'latitude'];
const named = {
  X: ['x', ...longitudes, 'easting', 'east', 'e', 'rechtswert'],
  Y: ['y', ...latitudes, 'northing', 'north', 'n', 'hochwert'],
  Z: ['z', 'height', 'elevation', 'depth'],
  Wkt: ['wkt', 'geom', 'geometry', 'the_geom', 'shape'],
  Item: ['item', 'name', 'variable'],
  Value: ['value'],
} as const;

/** @throws ConversionError that names the parameter of what is not sure */
export function assignRoles(dialect: Dialect, asked: TableParameters): Roles {
  const { Kind, TimeFormat } = asked;
  const finder = new ColumnFinder(dialect);
  const wkt = asked.Wkt === undefined ? finder.wkt() : finder.given('Wkt', asked.Wkt);
  const place = wkt === undefined && Kind !== 'series' ? finder.place(asked) : undefined;
  if (Kind === 'points' && wkt === undefined && place === undefined)
    throw new ConversionError(`No columns are known to be x and y. Give the parameters X and Y. ${finder.list}`);
  const isPlaced = wkt !== undefined || place !== undefined;
  const time = Kind === 'points' ? undefined : finder.time(asked.Time, TimeFormat, isPlaced && Kind !== 'series');
  if (Kind === 'series' && time === undefined)
    throw new ConversionError(`No column holds times. Give the parameter Time, or TimeFormat. ${finder.list}`);
  const isSeries = time !== undefined && (!isPlaced || Kind === 'series');
  const long = isSeries ? finder.long(asked, time.column) : undefined;
  const items = long !== undefined || finder.hasNumbers(time?.column);
  if (!isSeries || !items)
    return {
      kind: 'features',
      ...(place === undefined ? {} : place),
      ...(wkt === undefined ? {} : { wkt }),
      ...(time === undefined ? {} : { time }),
    };
  return { kind: 'series', time, ...(long === undefined ? {} : { long }) };
}

class ColumnFinder {
  readonly #dialect: Dialect;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  /** A sentence with the names of the columns. */
  get list(): string {
    const { names, columns } = this.#dialect;
    const shown = (names ?? Array.from({ length: columns }, (_, n) => `Column ${n + 1}`)).slice(0, 12);
    return `Columns: ${shown.map((name) => name.slice(0, 40)).join(', ')}${columns > 12 ? ', …' : ''}.`;
  }

  /** The column that a parameter names; none for an empty text. */
  given(parameter: string, name: string): number | undefined {
    if (name === '') return undefined;
    const names = this.#names();
    const exact = names.indexOf(name);
    const found = exact >= 0 ? exact : names.findIndex((one) => one.toLowerCase() === name.toLowerCase());
    if (found < 0)
      throw new ConversionError(`There is no column '${name.slice(0, 80)}' (parameter ${parameter}). ${this.list}`);
    return found;
  }

  #names(): readonly string[] {
    const { names, columns } = this.#dialect;
    return names ?? Array.from({ length: columns }, (_, n) => `Column ${n + 1}`);
  }

  #texts(column: number): string[] {
    return this.#dialect.sample.map((cells) => cells[column]?.trim() ?? '').filter((text) => text !== '');
  }

  #isNumeric(column: number): boolean {
    const { numbers } = this.#dialect;
    const texts = this.#texts(column);
    return texts.length > 0 && texts.every((text) => isNumber(text, numbers));
  }

  hasNumbers(but: number | undefined): boolean {
    return Array.from({ length: this.#dialect.columns }, (_, n) => n).some((n) => n !== but && this.#isNumeric(n));
  }

  #candidates(words: readonly string[], test: (column: number) => boolean): number[] {
    const { names } = this.#dialect;
    return (names ?? []).flatMap((name, n) => (words.includes(name.toLowerCase()) && test(n) ? [n] : []));
  }

  #isCalled(column: number, words: readonly string[]): boolean {
    return words.includes(this.#names()[column]!.toLowerCase());
  }

  #hasColumn(name: string): boolean {
    return this.#candidates([name], (n) => this.#isNumeric(n)).length > 0;
  }

  wkt(): number | undefined {
    return this.#candidates(named.Wkt, (n) => beginsLikeWkt(this.#texts(n)[0] ?? ''))[0];
  }

  place(asked: TableParameters): Pick<Roles, 'place' | 'isGeographic'> | undefined {
    const x = this.#axis('X', asked.X);
    const y = this.#axis('Y', asked.Y);
    if (x === undefined && y === undefined) return undefined;
    if (x === undefined || y === undefined) {
      if (asked.X || asked.Y)
        throw new ConversionError(`The parameters X and Y belong together, but only one column is known. ${this.list}`);
      return undefined;
    }
    const z = this.#axis('Z', asked.Z);
    const lower = (column: number) => this.#names()[column]!.toLowerCase();
    const isGeographic = longitudes.includes(lower(x)) && latitudes.includes(lower(y));
    return { place: { x, y, ...(z === undefined ? {} : { z }) }, ...(isGeographic ? { isGeographic } : {}) };
  }

  #axis(axis: 'X' | 'Y' | 'Z', name: string | undefined): number | undefined {
    if (name !== undefined) return this.given(axis, name);
    const all = this.#candidates(named[axis], (n) => this.#isNumeric(n));
    // n is a number as often as a northing: it is one beside e.
    const partner = { X: 'n', Y: 'e', Z: '' }[axis];
    const [found, another] = all.filter((n) => !this.#isCalled(n, ['e', 'n']) || this.#hasColumn(partner));
    if (found !== undefined && another !== undefined)
      throw new ConversionError(
        `The columns '${this.#names()[found]}' and '${this.#names()[another]}' may both be ${axis.toLowerCase()}. Give the parameter ${axis}${axis === 'Z' ? '; an empty text is none' : ''}.`,
      );
    return found;
  }

  /**
   * @param isField the times are a field of features, whose form need not be known
   */
  time(
    name: string | undefined,
    form: string | undefined,
    isField: boolean,
  ): { column: number; parser: TimeParser } | undefined {
    const wanted = name === undefined ? undefined : this.given('Time', name);
    if (name === '') return undefined;
    const parser = form === undefined ? undefined : timesLike(form);
    const columns = wanted === undefined ? Array.from({ length: this.#dialect.columns }, (_, n) => n) : [wanted];
    let doubtful: number | undefined;
    for (const column of columns) {
      const texts = this.#texts(column);
      if (texts.length === 0) continue;
      if (parser !== undefined && texts.every((text) => !Number.isNaN(parser.parse(text)))) return { column, parser };
      const found = parser === undefined ? guessTimes(texts) : undefined;
      if (found === 'ambiguous') doubtful ??= column;
      else if (found !== undefined) return { column, parser: found };
    }
    if (wanted !== undefined || (doubtful !== undefined && !isField)) {
      const column = wanted ?? doubtful!;
      const shown = this.#texts(column)[0]?.slice(0, 40) ?? '';
      throw new ConversionError(
        `The times of the column '${this.#names()[column]}', such as '${shown}', have no form that is known for sure. Give the parameter TimeFormat, such as dd/MM/yyyy HH:mm.`,
      );
    }
    if (form !== undefined)
      throw new ConversionError(`No column holds times of the form '${form.slice(0, 80)}'. ${this.list}`);
    return undefined;
  }

  long(asked: TableParameters, time: number): { item: number; value: number } | undefined {
    const item = this.#one('Item', asked.Item, (n) => n !== time && this.#texts(n).length > 0);
    const value = this.#one('Value', asked.Value, (n) => n !== time && this.#isNumeric(n));
    if (item !== undefined && value !== undefined) return { item, value };
    if (asked.Item || asked.Value)
      throw new ConversionError(`The parameters Item and Value belong together. ${this.list}`);
    return undefined;
  }

  #one(parameter: 'Item' | 'Value', name: string | undefined, test: (column: number) => boolean): number | undefined {
    if (name !== undefined) return this.given(parameter, name);
    const [found, another] = this.#candidates(named[parameter], test);
    if (found !== undefined && another !== undefined)
      throw new ConversionError(`Several columns may hold the names of items. Give the parameter Item. ${this.list}`);
    return found;
  }
}

function isNumber(text: string, numbers: Dialect['numbers']): boolean {
  if (/^nan$/i.test(text)) return true;
  const bytes = Buffer.from(text);
  return !Number.isNaN(numbers.parse(bytes, 0, bytes.length));
}
