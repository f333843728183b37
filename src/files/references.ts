/* Where DFS and NetCDF files have their values: reference documents of kerchunk, and stores of Zarr as folders. */

export { documentPieces, type References } from './convert/references/document.ts';
export { readReferences } from './convert/references/references.ts';
export { StoreFolder, type StoreKey } from './formats/zarr/store-folder.ts';
