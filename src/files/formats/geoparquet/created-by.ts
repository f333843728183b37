import { productVersion } from '../io/product-version.ts';

/** The program that has written a file, as Parquet has it. */
export const createdBy = `hydrofiles version ${productVersion}`;
