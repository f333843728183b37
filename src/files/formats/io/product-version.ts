import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

/** The version of this library. */
export const { version: productVersion } = JSON.parse(readFileSync(findPackageJSON(import.meta.url)!, 'utf8')) as {
  version: string;
};
