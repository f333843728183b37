import { FormatError } from '../../errors.ts';

/** @throws FormatError for what SQLite refuses */
export function guarded<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_SQLITE_ERROR') throw error;
    throw new FormatError(`SQLite cannot read the file: ${(error as Error).message.slice(0, 200)}.`);
  }
}

/** A name in a statement. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
