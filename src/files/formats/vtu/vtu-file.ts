import type { ByteSource } from '../../data/bytes.ts';
import { millisecondsOf, parseUtc } from '../../data/date-text.ts';
import type { Samples } from '../../data/item.ts';
import type { Mesh } from '../../data/mesh.ts';
import { componentCount } from '../../data/mesh-cells.ts';
import { isRising } from '../../data/number-arrays.ts';
import { ConversionError, FormatError } from '../../errors.ts';
import { parseSrid } from '../../geo/crs/crs.ts';
import type { Context } from '../define.ts';
import { type Geometry, readGeometry } from './cells.ts';
import { type ArrayElement, readDocument, type VtuDocument } from './document.ts';
import { SECTIONS } from './field-data.ts';
import { isNodeCodes, itemValues, type StoredItem, storedItems, withQuantities } from './items.ts';
import { readNumbers, readText } from './numbers.ts';
import { pointSpectrum, spectrumFieldNames, withSpectra } from './spectrum-axes.ts';

const numberFields = new Set([
  'EumItem',
  'EumUnit',
  'ValueType',
  'SRID',
  'TimeValue',
  'Layers',
  'ColumnOffsets',
  ...spectrumFieldNames,
]);

/** One VTU file. Its XML is read on opening, its arrays on demand. */
export class VtuFile {
  readonly items: readonly StoredItem[];
  /** Milliseconds since 1970-01-01T00:00:00 of the first step. */
  readonly start: number | undefined;
  /** Seconds of the step, from `start` or 1970-01-01 on; absent: the file has no TimeValue. */
  readonly seconds: number | undefined;
  readonly crs: Mesh['crs'];
  readonly #document: VtuDocument;
  readonly #fields: ReadonlyMap<string, Samples>;

  private constructor(
    document: VtuDocument,
    { fields, start }: { fields: ReadonlyMap<string, Samples>; start: number | undefined },
    context: Context,
  ) {
    this.#document = document;
    this.#fields = fields;
    this.start = start;
    this.seconds = fields.get('TimeValue')?.[0];
    this.items = withSpectra(withQuantities(storedItems(document, context), fields, context), fields);
    const srid = fields.get('SRID')?.[0];
    this.crs = srid === undefined ? undefined : crsOf(srid, context);
  }

  static async open(source: ByteSource, context: Context): Promise<VtuFile> {
    const document = await readDocument(source);
    const fields = new Map<string, Samples>();
    let start: number | undefined;
    for (const array of document.fieldData) {
      if (numberFields.has(array.name)) fields.set(array.name, await readNumbers(document, array));
      if (array.name === 'StartTime') start = await readStart(document, array, context);
    }
    return new VtuFile(document, { fields, start }, context);
  }

  geometry(): Promise<Geometry> {
    return readGeometry(this.#document);
  }

  /** Boundary codes of the nodes, if all pieces have them. */
  async nodeCodes(): Promise<Int32Array | undefined> {
    const codes: number[] = [];
    for (const { pointData, points } of this.#document.pieces) {
      const array = pointData.find(isNodeCodes);
      if (array === undefined) return undefined;
      for (const code of await readNumbers(this.#document, array, points)) codes.push(code);
    }
    return Int32Array.from(codes);
  }

  /** Layers and section of a layered mesh, where the field data describe the cells of this file. */
  layers(cells: number): Pick<Mesh, 'layers' | 'section'> {
    const [maximum = 0, sigma = 0, section = 0] = this.#fields.get('Layers') ?? [];
    const columns = Uint32Array.from(this.#fields.get('ColumnOffsets') ?? []);
    if (maximum < 1 || columns[0] !== 0 || columns.at(-1) !== cells || !isRising(columns)) return {};
    const named = SECTIONS[section];
    return { layers: { maximum, sigma, columns }, ...(named === undefined ? {} : { section: named }) };
  }

  /** Marks a point spectrum, whose cells are not positions on the earth. */
  spectrum(cells: number): Pick<Mesh, 'located' | 'spectrum'> {
    return pointSpectrum(this.items, this.#fields, cells);
  }

  values(item: StoredItem): Promise<Samples> {
    return itemValues(this.#document, item);
  }

  /** The item of this file with the name and components of an item of another file. */
  sameItem({ item }: StoredItem): StoredItem {
    const { name, location } = item;
    const found = this.items.find((one) => one.item.name === name && one.item.location === location);
    if (found === undefined || componentCount(found.item) !== componentCount(item))
      throw new FormatError(
        `The array '${name}' of the first step is missing in another, or has other components there.`,
      );
    return found;
  }
}

function crsOf(srid: number, { remark }: Context): Mesh['crs'] {
  try {
    return parseSrid(srid);
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    remark(`The SRID of the field data was ignored: ${error.message}`);
    return undefined;
  }
}

async function readStart(document: VtuDocument, array: ArrayElement, { remark }: Context): Promise<number | undefined> {
  const text = await readText(document, array);
  const parsed = parseUtc(text);
  if (parsed === undefined) {
    remark(`StartTime '${text.slice(0, 40).replace(/[^\x20-\x7e]/g, '?')}' is no time and was ignored.`);
    return undefined;
  }
  return Math.round(millisecondsOf(parsed));
}
