import { extname } from 'node:path';

/** Extension and media type of a file. */
export interface FileType {
  /** With the dot; empty: the output keeps the extension of the input. */
  readonly extension: string;
  readonly mediaType: string;
}

export const zipType: FileType = { extension: '.zip', mediaType: 'application/zip' };

/** Replaces the extension of the writer in a file name by that of what it wrote. Other names stay as they are. */
export function nameOfType(
  name: string,
  { extension, otherExtensions = [] }: { extension: string; otherExtensions?: readonly string[] },
  written: Pick<FileType, 'extension'> | undefined,
): string {
  const own = extname(name);
  if (written === undefined || own === '' || ![extension, ...otherExtensions].includes(own.toLowerCase())) return name;
  return `${name.slice(0, -own.length)}${written.extension}`;
}
