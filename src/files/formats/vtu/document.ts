import type { ByteSource } from '../../data/bytes.ts';
import { FormatError } from '../../errors.ts';
import { withoutEntities } from '../io/xml-text.ts';
import { type Tag, XmlScanner } from './xml-scanner.ts';

/** An array as its element describes it; its numbers are not read yet. */
export interface ArrayElement {
  readonly name: string;
  /** `Float32`, `Int64`, `String` … */
  readonly type: string;
  readonly components: number;
  readonly format: 'ascii' | 'binary' | 'appended';
  /** Offset within the appended data. */
  readonly offset: number;
  /** Range of inline numbers: the text of the element up to its first child. */
  readonly text: { readonly start: number; readonly end: number };
  readonly unit?: string;
  /** Offset of the element, for errors. */
  readonly at: number;
}

export interface Piece {
  readonly points: number;
  readonly cells: number;
  readonly pointData: readonly ArrayElement[];
  readonly cellData: readonly ArrayElement[];
  readonly coordinates: ArrayElement;
  /** Arrays of the cells by name: connectivity, offsets, types. */
  readonly topology: ReadonlyMap<string, ArrayElement>;
  readonly at: number;
}

export interface VtuDocument {
  readonly source: ByteSource;
  readonly littleEndian: boolean;
  /** Bytes of a number in the header of a binary array. */
  readonly headerBytes: 4 | 8;
  /** Absent: arrays are not compressed. */
  readonly compression?: 'zlib' | 'lz4';
  readonly fieldData: readonly ArrayElement[];
  readonly pieces: readonly Piece[];
  /** File offset from which offsets of appended arrays count. */
  readonly appended?: { readonly start: number; readonly base64: boolean };
}

/** Limits the memory that a hostile file can take. */
const maxArrays = 10_000;
const deepest = 16;
const longestUnit = 1024;

const sections = ['FieldData', 'PointData', 'CellData', 'Points', 'Cells'] as const;
type Section = (typeof sections)[number];
const isSection = (name: string | undefined): name is Section =>
  (sections as readonly (string | undefined)[]).includes(name);

/** Reads the elements of a VTU file up to its appended data. */
export async function readDocument(source: ByteSource): Promise<VtuDocument> {
  const scanner = new XmlScanner(source);
  const root = await scanner.next();
  if (root?.name !== 'VTKFile' || root.kind !== 'open')
    throw new FormatError('The file does not begin with a VTKFile element.', root?.start ?? 0);
  const document = new DocumentParser(source, root);
  for (let tag = await scanner.next(); tag !== undefined; tag = await scanner.next()) {
    if (tag.name === 'AppendedData' && tag.kind === 'open') return document.withAppended(tag);
    if (await document.take(tag)) return document.complete();
  }
  throw new FormatError('The VTK file ends before </VTKFile>.', source.size);
}

const compressions: Readonly<Record<string, VtuDocument['compression']>> = {
  vtkZLibDataCompressor: 'zlib',
  vtkLZ4DataCompressor: 'lz4',
};

/** Attributes of the root element that describe the encoding of arrays. */
function readEncoding({ attributes, start }: Tag): Pick<VtuDocument, 'littleEndian' | 'headerBytes' | 'compression'> {
  const type = attributes.get('type');
  if (type !== 'UnstructuredGrid')
    throw new FormatError(
      `The VTK file holds '${shown(type ?? '')}'. VtuReader takes UnstructuredGrid, and a Collection (.pvd) in a zip with its parts.`,
      start,
    );
  const order = attributes.get('byte_order') ?? 'LittleEndian';
  if (order !== 'LittleEndian' && order !== 'BigEndian')
    throw new FormatError(`The byte order '${shown(order)}' is not known.`, start);
  const header = attributes.get('header_type') ?? 'UInt32';
  if (header !== 'UInt32' && header !== 'UInt64')
    throw new FormatError(`The header type '${shown(header)}' is neither UInt32 nor UInt64.`, start);
  const compressor = attributes.get('compressor') ?? '';
  const compression = compressions[compressor];
  if (compressor !== '' && compression === undefined)
    throw new FormatError(
      `The arrays are compressed by ${shown(compressor)}. Only ${Object.keys(compressions).join(' and ')} are supported: write the file anew with one of them.`,
      start,
    );
  return {
    littleEndian: order === 'LittleEndian',
    headerBytes: header === 'UInt32' ? 4 : 8,
    ...(compression === undefined ? {} : { compression }),
  };
}

interface OpenPiece {
  points: number;
  cells: number;
  at: number;
  PointData: ArrayElement[];
  CellData: ArrayElement[];
  Points: ArrayElement[];
  Cells: ArrayElement[];
}

class DocumentParser {
  readonly #source: ByteSource;
  readonly #encoding: ReturnType<typeof readEncoding>;
  readonly #path: string[] = ['VTKFile'];
  readonly #fieldData: ArrayElement[] = [];
  readonly #pieces: Piece[] = [];
  #piece: OpenPiece | undefined;
  #array: { -readonly [K in keyof ArrayElement]: ArrayElement[K] } | undefined;
  #section: Section | undefined;
  #arrays = 0;
  /** File offset of the text of a unit. */
  #unit: number | undefined;

  constructor(source: ByteSource, root: Tag) {
    this.#source = source;
    this.#encoding = readEncoding(root);
  }

  /** Takes a tag; true for the end of the root. */
  async take(tag: Tag): Promise<boolean> {
    if (this.#array !== undefined && this.#array.text.end < 0)
      this.#array.text = { start: this.#array.text.start, end: tag.start };
    if (tag.kind !== 'close') this.#open(tag);
    if (tag.kind !== 'open') await this.#close(tag);
    return this.#path.length === 0;
  }

  withAppended({ attributes, start, end }: Tag): Promise<VtuDocument> | VtuDocument {
    const encoding = attributes.get('encoding') ?? 'base64';
    if (encoding !== 'raw' && encoding !== 'base64')
      throw new FormatError(`The appended data have the encoding '${shown(encoding)}', not raw or base64.`, start);
    return this.#behindUnderscore(end, encoding === 'base64');
  }

  complete(): VtuDocument {
    if (this.#pieces.length === 0) throw new FormatError('The VTK file has no Piece.', 0);
    return { source: this.#source, ...this.#encoding, fieldData: this.#fieldData, pieces: this.#pieces };
  }

  async #behindUnderscore(from: number, base64: boolean): Promise<VtuDocument> {
    const bytes = await this.#source.read(from, longestUnit);
    const at = bytes.indexOf(95);
    if (at < 0 || bytes.subarray(0, at).some((c) => c > 32))
      throw new FormatError("The appended data do not begin with '_'.", from);
    return { ...this.complete(), appended: { start: from + at + 1, base64 } };
  }

  #open(tag: Tag): void {
    const parent = this.#path.at(-1);
    this.#path.push(tag.name);
    if (this.#path.length > deepest) throw new FormatError(`Elements are nested more than ${deepest} deep.`, tag.start);
    if (tag.name === 'Piece' && parent === 'UnstructuredGrid')
      this.#piece = {
        points: readCount(tag, 'NumberOfPoints'),
        cells: readCount(tag, 'NumberOfCells'),
        at: tag.start,
        PointData: [],
        CellData: [],
        Points: [],
        Cells: [],
      };
    else if ((tag.name === 'DataArray' || tag.name === 'Array') && isSection(parent)) {
      this.#array = this.#arrayOf(tag);
      this.#section = parent;
    } else if (tag.name === 'InformationKey' && tag.attributes.get('name') === 'UNITS_LABEL') this.#unit = tag.end;
  }

  async #close(tag: Tag): Promise<void> {
    const name = this.#path.pop();
    if (name !== tag.name) throw new FormatError(`</${shown(tag.name)}> closes <${shown(name ?? '')}>.`, tag.start);
    if (name === 'Piece' && this.#piece !== undefined) {
      this.#pieces.push(completePiece(this.#piece));
      this.#piece = undefined;
    } else if (name === 'InformationKey' && this.#unit !== undefined) {
      await this.#takeUnit(this.#unit, tag.start);
      this.#unit = undefined;
    } else if (name === 'DataArray' || name === 'Array') this.#takeArray();
  }

  async #takeUnit(start: number, end: number): Promise<void> {
    if (this.#array === undefined || end <= start || end - start > longestUnit) return;
    const bytes = await this.#source.read(start, end - start);
    const unit = withoutEntities(Buffer.from(bytes).toString('utf8')).trim();
    if (unit !== '') this.#array.unit = unit;
  }

  #takeArray(): void {
    const array = this.#array;
    if (array === undefined) return;
    this.#array = undefined;
    if (this.#section === 'FieldData') this.#fieldData.push(array);
    else this.#piece?.[this.#section!].push(array);
  }

  #arrayOf(tag: Tag): ArrayElement {
    if (++this.#arrays > maxArrays) throw new FormatError(`The file has more than ${maxArrays} arrays.`, tag.start);
    const { attributes, start, end } = tag;
    const format = attributes.get('format') ?? 'ascii';
    if (format !== 'ascii' && format !== 'binary' && format !== 'appended')
      throw new FormatError(`The format '${shown(format)}' of an array is not known.`, start);
    return {
      name: attributes.get('Name') ?? '',
      type: attributes.get('type') ?? '',
      components: attributes.get('NumberOfComponents') ? readCount(tag, 'NumberOfComponents') : 1,
      format,
      offset: format === 'appended' ? readCount(tag, 'offset') : 0,
      text: { start: end, end: tag.kind === 'empty' ? end : -1 },
      at: start,
    };
  }
}

function completePiece({ points, cells, at, PointData, CellData, Points, Cells }: OpenPiece): Piece {
  const [coordinates] = Points;
  if (coordinates === undefined) throw new FormatError('A Piece has no Points.', at);
  const topology = new Map(Cells.map((array) => [array.name, array]));
  return { points, cells, pointData: PointData, cellData: CellData, coordinates, topology, at };
}

function readCount({ attributes, start }: Tag, name: string): number {
  const text = attributes.get(name)?.trim() ?? '';
  const value = Number(text);
  if (!/^\d{1,15}$/.test(text)) throw new FormatError(`${name} is '${shown(text)}', not a number from 0.`, start);
  return value;
}

const shown = (text: string): string => text.slice(0, 60).replace(/[^\x20-\x7e]/g, '?');
