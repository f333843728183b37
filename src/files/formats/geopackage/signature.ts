import { type FileFormat, latin1, starts } from '../file-format.ts';

/** Where an SQLite file has its `application_id`. */
const applicationId = 68;

export const geoPackageFormat: FileFormat = {
  format: 'geopackage',
  extensions: ['.gpkg'],
  recognise: (head) => {
    if (!starts(head, 'SQLite format 3\0')) return undefined;
    const id = latin1(head.subarray(applicationId, applicationId + 4));
    // Files of some programs have no id, but all have this table, whose definition is on the first page.
    const isPackage = /^GP(?:KG|1\d)$/.test(id) || head.includes('gpkg_contents');
    return isPackage ? { format: 'geopackage', name: 'a GeoPackage' } : undefined;
  },
};
