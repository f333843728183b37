import type { Field } from '../../data/feature-collection.ts';
import type { Context } from '../define.ts';
import { quoted } from './sql.ts';

/** How the values of a column are selected and read. */
interface ValueReader {
  readonly sql: string;
  value(stored: unknown): unknown;
}

/** An expression for the values of a column in which integers that a double cannot hold are texts. */
export function safeInteger(column: string): string {
  const own = quoted(column);
  return `case when typeof(${own}) = 'integer' and (${own} > 9007199254740991 or ${own} < -9007199254740991) then cast(${own} as text) else ${own} end`;
}

/** SQLite stores values of any type in any column; those that do not fit the type of the field stay as they are. */
export function valueReader({ column, type, name }: Field & { column: string }, { reportLoss }: Context): ValueReader {
  const safe = safeInteger(column);
  const plain = (stored: unknown): unknown => {
    if (!(stored instanceof Uint8Array)) return stored;
    reportLoss(`Bytes among the values of '${name.slice(0, 80)}' became null.`);
    return null;
  };
  switch (type) {
    case 'integer':
    case 'integer64':
      return {
        sql: safe,
        value: (stored) =>
          typeof stored === 'string' && /^-?\d{16,19}$/.test(stored) ? BigInt(stored) : plain(stored),
      };
    case 'boolean':
      return { sql: safe, value: (stored) => (typeof stored === 'number' ? stored !== 0 : plain(stored)) };
  }
  return { sql: safe, value: plain };
}
