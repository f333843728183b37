import { resolve } from 'node:path';
import { constants, DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { guarded } from './sql.ts';

/** Maximum length of a value in bytes. */
const maxValue = 1 << 28;

/** What statements on a foreign file may do: read. Recursion in a view could run without end. */
const allowed = new Set([
  constants.SQLITE_SELECT,
  constants.SQLITE_READ,
  constants.SQLITE_FUNCTION,
  constants.SQLITE_PRAGMA,
]);

/** Opens a foreign SQLite file to read it. Nothing in it is trusted: views may use plain functions only. */
export function openReadOnly(path: string): DatabaseSync {
  const url = pathToFileURL(resolve(path));
  // Without a lock, and without looking for a journal beside the file.
  url.searchParams.set('immutable', '1');
  const database = guarded(
    () =>
      new DatabaseSync(url, {
        readOnly: true,
        allowExtension: false,
        enableDoubleQuotedStringLiterals: false,
        defensive: true,
        limits: { length: maxValue, sqlLength: 1 << 20, exprDepth: 200, attach: 0 },
      }),
  );
  guarded(() => database.exec('pragma trusted_schema = off; pragma cell_size_check = on; pragma query_only = on'));
  database.setAuthorizer((action) => (allowed.has(action) ? constants.SQLITE_OK : constants.SQLITE_DENY));
  return database;
}
