import { deflateSync } from 'node:zlib';

/** VTU files, written by the rules of VTK's manual and as wrong as a test wants them. */

export interface MadeArray {
  name: string;
  type: string;
  values: readonly number[];
  components?: number;
  unit?: string;
  /** In place of the element that the array would get. */
  element?: string;
}

export interface Encoding {
  format?: 'ascii' | 'binary' | 'base64' | 'raw';
  compressed?: boolean | 'lz4';
  header?: 'UInt32' | 'UInt64';
  bigEndian?: boolean;
  /** The header of an inline array is encoded by itself. */
  apart?: boolean;
  /** Bytes of a compressed block. */
  block?: number;
}

export interface MadePiece {
  points: readonly number[];
  pointType?: string;
  /** Type and nodes of each cell. */
  cells: readonly (readonly number[])[];
  pointData?: readonly MadeArray[];
  cellData?: readonly MadeArray[];
}

/** Bytes of a number of each type, and how a view puts it. */
const put: Record<string, [size: number, put: (view: DataView, at: number, value: number, little: boolean) => void]> = {
  Int8: [1, (view, at, value) => view.setInt8(at, value)],
  UInt8: [1, (view, at, value) => view.setUint8(at, value)],
  Int16: [2, (view, at, value, little) => view.setInt16(at, value, little)],
  UInt32: [4, (view, at, value, little) => view.setUint32(at, value, little)],
  Int32: [4, (view, at, value, little) => view.setInt32(at, value, little)],
  Float32: [4, (view, at, value, little) => view.setFloat32(at, value, little)],
  Float64: [8, (view, at, value, little) => view.setFloat64(at, value, little)],
  Int64: [8, (view, at, value, little) => view.setBigInt64(at, BigInt(value), little)],
  UInt64: [8, (view, at, value, little) => view.setBigUint64(at, BigInt(value), little)],
  String: [1, (view, at, value) => view.setUint8(at, value)],
};

function binary(type: string, values: readonly number[], bigEndian: boolean): Buffer {
  const [size, one] = put[type]!;
  const bytes = Buffer.alloc(size * values.length);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (const [n, value] of values.entries()) one(view, size * n, value, !bigEndian);
  return bytes;
}

/** An LZ4 block: literals, then matches with the bytes up to 64 kB before, of which the first that fits is taken. */
function lz4(bytes: Buffer): Buffer {
  const out: number[] = [];
  const sequence = (literals: Buffer, match: number, back: number) => {
    const extra = (length: number) => {
      for (let rest = length - 15; rest >= 0; rest -= 255) out.push(Math.min(255, rest));
    };
    out.push((Math.min(15, literals.length) << 4) | (match === 0 ? 0 : Math.min(15, match - 4)));
    extra(literals.length);
    out.push(...literals);
    if (match === 0) return;
    out.push(back & 255, back >> 8);
    extra(match - 4);
  };
  let from = 0;
  for (let at = 4; at + 12 < bytes.length; at++) {
    const before = bytes.lastIndexOf(bytes.subarray(at, at + 4), at - 1);
    if (before < 0 || at - before > 65_535) continue;
    let length = 4;
    while (at + length + 5 < bytes.length && bytes[at + length] === bytes[before + length]) length++;
    sequence(bytes.subarray(from, at), length, at - before);
    at += length - 1;
    from = at + 1;
  }
  sequence(bytes.subarray(from), 0, 0);
  return Buffer.from(out);
}

class Arrays {
  readonly appended: Buffer[] = [];
  readonly encoding: Required<Encoding>;
  #offset = 0;

  constructor(encoding: Encoding) {
    this.encoding = {
      format: 'ascii',
      compressed: false,
      header: 'UInt32',
      bigEndian: false,
      apart: false,
      block: 16,
      ...encoding,
    };
  }

  element(array: MadeArray): string {
    if (array.element !== undefined) return array.element;
    const { name, type, values, components, unit } = array;
    const tag = type === 'String' ? 'Array' : 'DataArray';
    const parts = components === undefined ? '' : ` NumberOfComponents="${components}"`;
    const key =
      unit === undefined
        ? ''
        : `<InformationKey name="UNITS_LABEL" location="vtkDataArray">\n ${unit}\n</InformationKey>`;
    const { format } = this.encoding;
    const head = `<${tag} type="${type}" Name="${name}"${parts}`;
    if (format === 'ascii') return `${head} format="ascii">\n${values.join(' ')} \n${key}</${tag}>\n`;
    const [header, content] = this.#packed(type, values);
    if (format === 'binary') return `${head} format="binary">\n  ${this.#base64(header, content)}\n${key}</${tag}>\n`;
    const bytes = format === 'raw' ? Buffer.concat([header, content]) : Buffer.from(this.#base64(header, content));
    const offset = this.#offset;
    this.appended.push(bytes);
    this.#offset += bytes.length;
    return `${head} format="appended" offset="${offset}">${key}</${tag}>\n`;
  }

  #packed(type: string, values: readonly number[]): [header: Buffer, content: Buffer] {
    const { compressed, header, bigEndian, block } = this.encoding;
    const bytes = binary(type, values, bigEndian);
    if (!compressed) return [binary(header, [bytes.length], bigEndian), bytes];
    const blocks = Array.from({ length: Math.ceil(bytes.length / block) }, (_, n) =>
      (compressed === 'lz4' ? lz4 : deflateSync)(bytes.subarray(n * block, (n + 1) * block)),
    );
    const sizes = [blocks.length, block, bytes.length % block, ...blocks.map(({ length }) => length)];
    return [binary(header, sizes, bigEndian), Buffer.concat(blocks)];
  }

  #base64(header: Buffer, content: Buffer): string {
    return this.encoding.compressed || this.encoding.apart
      ? header.toString('base64') + content.toString('base64')
      : Buffer.concat([header, content]).toString('base64');
  }
}

export function vtuOf(
  pieces: MadePiece | readonly MadePiece[],
  {
    fieldData = [],
    root = '',
    front = '',
    ...encoding
  }: Encoding & { fieldData?: readonly MadeArray[]; root?: string; front?: string } = {},
): Buffer {
  const arrays = new Arrays(encoding);
  const { format, compressed, header, bigEndian } = arrays.encoding;
  const all = (section: string, made: readonly MadeArray[]) =>
    `<${section}>\n${made.map((array) => arrays.element(array)).join('')}</${section}>\n`;
  const body = [pieces].flat().map(({ points, pointType = 'Float64', cells, pointData = [], cellData = [] }) => {
    let end = 0;
    const ends = cells.map((cell) => {
      end += cell.length - 1;
      return end;
    });
    return [
      `<Piece NumberOfPoints="${points.length / 3}" NumberOfCells="${cells.length}">\n`,
      all('PointData', pointData),
      all('CellData', cellData),
      all('Points', [{ name: 'Points', type: pointType, values: points, components: 3 }]),
      all('Cells', [
        { name: 'connectivity', type: 'Int64', values: cells.flatMap(([, ...nodes]) => nodes) },
        { name: 'offsets', type: 'Int32', values: ends },
        { name: 'types', type: 'UInt8', values: cells.map(([type]) => type!) },
      ]),
      '</Piece>\n',
    ].join('');
  });
  const fields = fieldData.length === 0 ? '' : all('FieldData', fieldData);
  const compressor = compressed ? ` compressor="vtk${compressed === 'lz4' ? 'LZ4' : 'ZLib'}DataCompressor"` : '';
  const attributes = `byte_order="${bigEndian ? 'BigEndian' : 'LittleEndian'}" header_type="${header}"${compressor}`;
  const start = `${front}<VTKFile type="UnstructuredGrid" version="1.0" ${attributes}${root}>\n<UnstructuredGrid>\n`;
  // Field data may stand behind the pieces, so that their arrays come first among the appended data.
  const text = `${start}${body.join('')}${fields}</UnstructuredGrid>\n`;
  if (format === 'ascii' || format === 'binary') return Buffer.from(`${text}</VTKFile>\n`);
  return Buffer.concat([
    Buffer.from(`${text}<AppendedData encoding="${format}">\n  _`),
    ...arrays.appended,
    Buffer.from('\n</AppendedData>\n</VTKFile>\n'),
  ]);
}

/** One cell of each shape that is read, over nine points, with arrays at points and in cells. */
export const allShapes: MadePiece = {
  points: Array.from({ length: 27 }, (_, n) => (n * 7) % 11),
  cells: [
    [1, 8],
    [3, 0, 1],
    [4, 0, 1, 2, 3],
    [5, 0, 1, 2],
    [7, 0, 1, 2, 3, 4],
    [9, 0, 1, 2, 3],
    [10, 0, 1, 2, 3],
    [12, 0, 1, 2, 3, 4, 5, 6, 7],
    [13, 0, 1, 2, 3, 4, 5],
    [14, 0, 1, 2, 3, 4],
  ],
  pointData: [{ name: 'flow', type: 'Float32', values: Array.from({ length: 18 }, (_, n) => n / 2), components: 2 }],
  cellData: [
    { name: 'depth', type: 'Float64', values: [0.1, 1, 2, 3, 4, 5, 6, 7, 8, 1e-300], unit: 'm' },
    { name: 'id', type: 'Int64', values: [-1, 2 ** 40, 2, 3, 4, 5, 6, 7, 8, 9] },
    { name: 'zone', type: 'Int16', values: [-5, 1, 2, 3, 4, 5, 6, 7, 8, 9] },
  ],
};

/** A triangle of three points. */
export const triangle: MadePiece = { points: [0, 0, 1, 10, 0, 2, 0, 10, 3], cells: [[5, 0, 1, 2]] };

export const textArray = (name: string, text: string): MadeArray => ({
  name,
  type: 'String',
  values: [...Buffer.from(`${text}\0`)],
});

export type PvdEntry = readonly [seconds: number | string, file: string, part?: string];

/** An empty `part` gives an element without the attribute. */
export const pvdOf = (files: readonly PvdEntry[]): Buffer =>
  Buffer.from(
    `<?xml version="1.0"?>\n<VTKFile type="Collection" version="0.1"><Collection>\n${files
      .map(
        ([seconds, file, part = '0']) =>
          `<DataSet timestep="${seconds}" group=""${part === '' ? '' : ` part="${part}"`} file="${file}"/>\n`,
      )
      .join('')}</Collection></VTKFile>`,
  );
