import { distinctName } from '../../data/distinct-name.ts';
import type { Field, FieldType } from '../../data/feature-collection.ts';
import { ConversionError, FormatError } from '../../errors.ts';
import { type Context, SEVERAL_LAYERS } from '../define.ts';
import { shown } from '../io/zip.ts';
import { hasHeight } from './coordinates.ts';
import type { Container, Datum, Placemark } from './placemarks.ts';

/** Keys of the fields for the elements of a placemark; those of extended data are their names behind a colon. */
const [NAME, DESCRIPTION] = ['name', 'description'];
const keyOf = ({ name }: Datum): string => `:${name}`;
const mostFields = 4096;
const mostLayers = 10_000;

interface FoundField {
  readonly name: string;
  type: FieldType;
  /** In the schema. */
  readonly place: number;
  /** Some values do not fit the type that the schema declares. */
  wrong: boolean;
}

/** The placemarks of one folder. */
export class KmlLayer {
  readonly container: Container;
  count = 0;
  hasZ = false;
  readonly #found = new Map<string, FoundField>();
  /** Position of each field, by its key. */
  #positions = new Map<string, number>();
  fields: Field[] = [];

  constructor(container: Container) {
    this.container = container;
  }

  get path(): string {
    const { name, parent } = this.container;
    const names = [name];
    for (let above = parent; above?.parent !== undefined; above = above.parent) names.unshift(above.name);
    return names.filter((one) => one !== '').join('/');
  }

  add({ name, description, data, shape }: Placemark): void {
    this.count++;
    if (name !== undefined) this.#field(NAME!, NAME!, 'string');
    if (description !== undefined) this.#field(DESCRIPTION!, DESCRIPTION!, 'string');
    for (const datum of data) {
      const field = this.#field(keyOf(datum), datum.name, fieldType(datum.type), datum.place);
      if (datum.value.trim() === '' || field.type === 'string') continue;
      const value = parsedValue(datum.value, field.type);
      if (value === undefined) field.wrong = true;
      else if (field.type === 'integer' && Number(value) !== (Number(value) | 0)) field.type = 'integer64';
    }
    if (shape !== undefined && !this.hasZ) this.hasZ = hasHeight(shape);
  }

  #field(key: string, name: string, type: FieldType, place = Infinity): FoundField {
    const known = this.#found.get(key);
    if (known !== undefined) {
      if (known.type !== type && !(known.type === 'integer64' && type === 'integer')) known.wrong = true;
      return known;
    }
    if (this.#found.size >= mostFields)
      throw new FormatError(`The features have more than ${mostFields} different fields.`);
    const field = { name, type, place, wrong: false };
    this.#found.set(key, field);
    return field;
  }

  /** After the last placemark: decides names and types of the fields. */
  finish({ remark }: Pick<Context, 'remark'>): void {
    // As the schema declares them; the first features may lack values.
    const ordered = [...this.#found].toSorted(([key, one], [other, two]) =>
      rank(key) === rank(other) && one.place !== two.place ? one.place - two.place : rank(key) - rank(other),
    );
    const names = new Set<string>();
    this.#positions = new Map(ordered.map(([key], n) => [key, n]));
    this.fields = ordered.map(([, { name: given, type, wrong }]) => {
      const name = distinctName(given || 'field', names);
      if (wrong) remark(`The field '${shown(name)}' has values that do not fit its type, so all are texts.`);
      return { name, type: wrong ? 'string' : type };
    });
  }

  values({ name, description, data }: Placemark): unknown[] {
    const values: unknown[] = this.fields.map(() => null);
    const put = (key: string, value: unknown) => {
      const at = this.#positions.get(key);
      if (at !== undefined) values[at] = value;
    };
    if (name !== undefined) put(NAME!, name);
    if (description !== undefined) put(DESCRIPTION!, description);
    for (const datum of data) {
      const at = this.#positions.get(keyOf(datum));
      if (at !== undefined) values[at] = parsedValue(datum.value, this.fields[at]!.type) ?? null;
    }
    return values;
  }
}

const rank = (key: string): number => (key === NAME ? 0 : key === DESCRIPTION ? 1 : 2);

function fieldType(type: string | undefined): FieldType {
  const word = type?.replace(/^.*:/, '').toLowerCase();
  if (word === 'int' || word === 'uint' || word === 'short' || word === 'ushort') return 'integer';
  if (word === 'float' || word === 'double') return 'real';
  return word === 'bool' || word === 'boolean' ? 'boolean' : 'string';
}

/** Undefined for a text that does not fit the type; an empty one is null unless the field holds texts. */
function parsedValue(text: string, type: FieldType): unknown {
  if (type === 'string') return text;
  const word = text.trim();
  if (word === '') return null;
  if (type === 'boolean') return /^(?:1|true)$/i.test(word) ? true : /^(?:0|false)$/i.test(word) ? false : undefined;
  if (type === 'real') {
    const value = Number(word.replace(/^([+-]?)INF$/i, '$1Infinity'));
    return Number.isFinite(value) ? value : /^(?:nan|[+-]?inf)$/i.test(word) ? null : undefined;
  }
  if (!/^[+-]?\d{1,18}$/.test(word)) return undefined;
  const value = Number(word);
  return Number.isSafeInteger(value) ? value : BigInt(word);
}

/** The layers of a file, in the order of their first placemarks. */
export class KmlLayers {
  readonly all: KmlLayer[] = [];
  readonly #byContainer = new Map<Container, KmlLayer>();

  add(placemark: Placemark): void {
    let layer = this.#byContainer.get(placemark.container);
    if (layer === undefined) {
      if (this.all.length >= mostLayers)
        throw new FormatError(`The file has more than ${mostLayers} folders with features.`);
      layer = new KmlLayer(placemark.container);
      this.#byContainer.set(placemark.container, layer);
      this.all.push(layer);
    }
    layer.add(placemark);
  }

  /**
   * Position of the layer with this name or path, in any letter case, or of the only one.
   * @throws ConversionError if there are several
   */
  choose(wanted: string | undefined): number {
    if (wanted === undefined) {
      if (this.all.length > 1)
        throw new ConversionError(
          `The file has ${this.all.length} layers. Choose one with Layer: ${this.#names()}.`,
          SEVERAL_LAYERS,
        );
      return 0;
    }
    const key = wanted.toLowerCase();
    for (const nameOf of [(layer: KmlLayer) => layer.path, (layer: KmlLayer) => layer.container.name]) {
      const found = [...this.all.keys()].filter((n) => nameOf(this.all[n]!).toLowerCase() === key);
      if (found.length === 1) return found[0]!;
      if (found.length > 1)
        throw new ConversionError(
          `The file has ${found.length} layers '${shown(wanted)}'. Choose one by its path: ${this.#names()}.`,
        );
    }
    throw new ConversionError(`The file has no layer '${shown(wanted)}'. Its layers: ${this.#names()}.`);
  }

  #names(): string {
    const names = this.all.slice(0, 50).map(({ path }) => (path === '' ? '(without a name)' : shown(path)));
    return names.join(', ') + (this.all.length > names.length ? ` and ${this.all.length - names.length} more` : '');
  }
}
