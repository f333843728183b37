import { type FileFormat, hasFile, latin1 } from '../file-format.ts';

const MARKUP = /^(?:\xef\xbb\xbf)?\s*<(?:\?xml|!doctype|html|\w+)[\s>]/i;

export const vtuFormat: FileFormat = {
  format: 'vtu',
  extensions: ['.vtu'],
  recognise(head) {
    const text = latin1(head);
    if (!MARKUP.test(text)) return undefined;
    const [vtk] = /<VTKFile\s[^>]*>/.exec(text) ?? [];
    const [, type] = /\stype\s*=\s*["'](\w+)["']/.exec(vtk ?? '') ?? [];
    if (type === 'UnstructuredGrid') return { format: 'vtu', name: 'a VTK unstructured grid (.vtu)' };
    if (type === 'Collection') return { name: 'a VTK collection (put the .pvd into a zip with its parts)' };
    if (vtk !== undefined) return { name: `a VTK file of type ${type ?? 'unknown'}` };
    return { name: /<html[\s>]|<!doctype html/i.test(text) ? 'a web page' : 'an XML file' };
  },
  recogniseZip: (names) =>
    hasFile(names, '.pvd', '.vtu') ? { format: 'vtu', name: 'a zip with VTK unstructured grids' } : undefined,
};
