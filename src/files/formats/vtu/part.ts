import { escaped } from '../io/xml-text.ts';
import type { Piece } from './block-spool.ts';
import type { EncodedArray } from './encode.ts';

/** One unstructured grid with its values at one step. */
export interface Part {
  /** Field data: numbers, or a text, about the whole mesh. */
  readonly fieldData: readonly EncodedArray[];
  /** A text among the field data. meshio cannot read files with one. */
  readonly text?: { readonly name: string; readonly value: string };
  readonly pointData: readonly EncodedArray[];
  readonly cellData: readonly EncodedArray[];
  /** Three components. */
  readonly points: EncodedArray;
  readonly connectivity: EncodedArray;
  readonly offsets: EncodedArray;
  readonly types: EncodedArray;
}

/**
 * The pieces of a VTU file: XML, followed by the arrays as raw compressed bytes (appended data), each at the offset
 * that its element names.
 */
export function partBytes(part: Part): Piece[] {
  const appended: Piece[] = [];
  let offset = 0;
  const element = (array: EncodedArray, attributes = ''): string => {
    const { name, type, components, unit } = array;
    const parts = components === undefined ? '' : ` NumberOfComponents="${components}"`;
    const tag = `<DataArray type="${type}" Name="${escaped(name)}"${parts}${attributes} format="appended" offset="${offset}"`;
    for (const bytes of array.bytes) {
      appended.push(bytes);
      offset += bytes.length;
    }
    if (unit === undefined) return `${tag}/>\n`;
    return `${tag}><InformationKey name="UNITS_LABEL" location="vtkDataArray">${escaped(unit)}</InformationKey></DataArray>\n`;
  };
  const section = (name: string, arrays: readonly EncodedArray[]) =>
    `<${name}>\n${arrays.map((array) => element(array)).join('')}</${name}>\n`;
  const fields = part.fieldData.map((array) => element(array, ` NumberOfTuples="${array.length}"`)).join('');
  const cells = part.types.length;
  const nodes = part.points.length / 3;
  const xml = [
    '<?xml version="1.0"?>\n',
    '<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt64" compressor="vtkZLibDataCompressor">\n',
    '<UnstructuredGrid>\n',
    fields === '' && part.text === undefined ? '' : `<FieldData>\n${textElement(part)}${fields}</FieldData>\n`,
    `<Piece NumberOfPoints="${nodes}" NumberOfCells="${cells}">\n`,
    section('PointData', part.pointData),
    section('CellData', part.cellData),
    section('Points', [part.points]),
    section('Cells', [part.connectivity, part.offsets, part.types]),
    '</Piece>\n</UnstructuredGrid>\n<AppendedData encoding="raw">\n_',
  ].join('');
  return [Buffer.from(xml), ...appended, Buffer.from('\n</AppendedData>\n</VTKFile>\n')];
}

/** VTK's string array: the text as numbers, one per byte, with a terminating zero. */
function textElement({ text }: Part): string {
  if (text === undefined) return '';
  const codes = [...Buffer.from(text.value), 0].join(' ');
  return `<Array type="String" Name="${escaped(text.name)}" NumberOfTuples="1" format="ascii">${codes}</Array>\n`;
}
