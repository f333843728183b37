import type { FileFormat } from '../file-format.ts';

/** An HDF5 file, which is told apart from others of its kind by its attributes. */
export const hecRasFormat: FileFormat = { format: 'hecras', extensions: ['.hdf'] };
