import { type Detected, type FileFormat, isNumber, latin1 } from '../file-format.ts';

/**
 * Number of nodes and a projection, in the newer form after the codes of quantity and unit; then the first node: id, x,
 * y, z and code.
 */
function meshFile(head: Buffer): Detected | undefined {
  const text = latin1(head).replace(/^\xef\xbb\xbf/, '');
  const [header = '', node = '', ...rest] = text.trimStart().split(/\r?\n/, 3);
  const words = node.trim().split(/\s+/);
  const isMesh =
    rest.length > 0 && /^(?:\d+ +\d+ +)?\d+ +[A-Za-z]/.test(header.replaceAll('\t', ' ')) && words.length === 5;
  return isMesh && words.every(isNumber) ? { format: 'mesh', name: 'a mesh file' } : undefined;
}

export const meshFormat: FileFormat = { format: 'mesh', extensions: ['.mesh'], recognise: meshFile };
