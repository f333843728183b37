import { type FileFormat, hasFile, latin1 } from '../file-format.ts';

const ROOT = /<(?:[\w.-]+:)?kml[\s>]/;

export const kmlFormat: FileFormat = {
  format: 'kml',
  extensions: ['.kml', '.kmz'],
  recognise: (head) => (ROOT.test(latin1(head)) ? { format: 'kml', name: 'a KML file' } : undefined),
  recogniseZip: (names) => (hasFile(names, '.kml') ? { format: 'kml', name: 'a KMZ file' } : undefined),
};
