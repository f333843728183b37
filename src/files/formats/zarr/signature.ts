import { type FileFormat, hasFile } from '../file-format.ts';

export const mdFormat: FileFormat = {
  format: 'md',
  extensions: ['.zarr.zip'],
  recogniseZip(names) {
    if (names.some((name) => /(?:^|\/)(?:zarr\.json|\.zgroup|\.zmetadata)$/.test(name)))
      return { format: 'md', name: 'a Zarr store in a zip' };
    return hasFile(names, '.zarray') ? { name: 'an array of Zarr 2 in a zip, without a group' } : undefined;
  },
};
