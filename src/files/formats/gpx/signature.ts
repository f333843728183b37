import { type FileFormat, latin1 } from '../file-format.ts';

export const gpxFormat: FileFormat = {
  format: 'gpx',
  extensions: ['.gpx'],
  recognise: (head) =>
    /<(?:[\w.-]+:)?gpx[\s>]/.test(latin1(head)) ? { format: 'gpx', name: 'a GPX file' } : undefined,
};
