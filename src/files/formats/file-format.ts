import type { FormatError } from '../errors.ts';

/** How the files of a format are called and how they begin. Its declaration loads no reader and no schema. */
export interface FileFormat {
  /** `datasetFormat`. */
  readonly format: string;
  /** In lower case and with the dot, the usual one first. */
  readonly extensions: readonly [string, ...string[]];
  /** Extensions that files of other content have, too: they name the format of an output, but not that of an input. */
  readonly outputExtensions?: readonly string[];
  /** Detects the format, or a file that users confuse with one of it, by the first bytes. */
  readonly recognise?: (head: Buffer) => Detected | undefined;
  /** Detects the format by the files in a zip, whose names are in lower case. */
  readonly recogniseZip?: (names: readonly string[]) => Detected | undefined;
}

/** A format detected from the content of a file: one with a reader here, or another that users confuse with one. */
export interface Detected {
  /** `datasetFormat`; absent if there is no reader for it. */
  format?: string;
  /** With its article, for use in a sentence. */
  name: string;
  /** A format that the file may still have, if its characteristic part comes after the first bytes. */
  maybe?: string;
  /** The format of a zip that holds the file and its companions. */
  zipped?: string;
  /** Advice for a file that no reader accepts unchanged. */
  advice?: string;
  /** Why the header or directory of the file cannot be read. */
  fault?: FormatError;
}

/** Number of leading bytes that are tested. */
export const HEAD_LENGTH = 4096;

export const starts = (head: Buffer, ...signatures: string[]): boolean =>
  signatures.some((one) => head.subarray(0, one.length).toString('latin1') === one);

export const latin1 = (head: Buffer): string => head.toString('latin1');

/** Whether one of the names ends in one of the extensions. */
export const hasFile = (names: readonly string[], ...extensions: string[]): boolean =>
  names.some((name) => extensions.some((extension) => name.endsWith(extension)));

export const isNumber = (word: string): boolean => /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eEdD][-+]?\d+)?$/.test(word);
