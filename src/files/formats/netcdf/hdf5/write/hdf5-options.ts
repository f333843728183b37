/** How an HDF5 file is written. */
export interface Hdf5Options {
  readonly compression: 'Deflate' | 'Zstd' | 'None';
  readonly level: number;
  /** Name of the dimension that can grow. */
  readonly unlimited?: string;
}
