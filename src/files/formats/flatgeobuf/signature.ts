import { type FileFormat, starts } from '../file-format.ts';

export const gisFormat: FileFormat = {
  format: 'gis',
  extensions: ['.fgb'],
  recognise(head) {
    if (starts(head, 'fgb\x03fgb')) return { format: 'gis', name: 'a FlatGeobuf' };
    return starts(head, 'fgb') ? { name: 'a FlatGeobuf of another version than 3' } : undefined;
  },
};
