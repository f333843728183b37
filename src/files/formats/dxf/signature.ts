import { type Detected, type FileFormat, latin1, starts } from '../file-format.ts';

/** Lines of a number, the group code, and a value; comments have the code 999. */
const SECTION = /^(?:\s*999\r?\n[^\n]*\n)*\s*0\r?\n\s*SECTION\r?\n/;

function recognise(head: Buffer): Detected | undefined {
  if (starts(head, 'AutoCAD Binary DXF')) return { name: 'a binary DXF file', advice: 'Save it as an ASCII DXF.' };
  return SECTION.test(latin1(head)) ? { format: 'dxf', name: 'a DXF file' } : undefined;
}

export const dxfFormat: FileFormat = { format: 'dxf', extensions: ['.dxf'], recognise };
