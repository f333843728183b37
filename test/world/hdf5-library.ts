import type * as H5wasm from 'h5wasm';

interface Library {
  readonly File: typeof H5wasm.File;
  /** Files in memory. */
  readonly system: {
    readFile(path: string): Uint8Array;
    writeFile(path: string, bytes: Uint8Array): void;
    unlink(path: string): void;
  };
}

let library: Promise<Library> | undefined;

/**
 * The HDF5 library of tests that write or check files: an instance of its own, since a damaged file that a test of the
 * same thread reads may leave the memory of the platform's one in any state.
 */
export const hdf5Library = (): Promise<Library> => {
  library ??= load();
  return library;
};

async function load(): Promise<Library> {
  const address = `${import.meta.resolve('h5wasm')}?tests`;
  const { File, ready } = (await import(address)) as typeof H5wasm;
  const { FS } = await ready;
  return { File, system: FS as never };
}
