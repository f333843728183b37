import { type FileFormat, latin1 } from '../file-format.ts';

export const gmlFormat: FileFormat = {
  format: 'gml',
  extensions: ['.gml'],
  recognise(head) {
    const text = latin1(head);
    const isGml =
      /["']http:\/\/www\.opengis\.net\/gml/.test(text) && /<(?:[\w.-]+:)?\w*FeatureCollection[\s>]/.test(text);
    return isGml ? { format: 'gml', name: 'a GML file' } : undefined;
  },
};
