/** Stands in for each character that Postgres refuses in text and JSON: NUL, and one half of a surrogate pair. */
const REPLACEMENT = '\ufffd';

/** Text that Postgres can store. */
export const storableText = (text: string): string => text.replaceAll('\0', REPLACEMENT).toWellFormed();

/** The escapes of a JSON text: whole pairs and all others but the last two kinds are fine. */
const ESCAPES =
  /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u0000|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\./gs;
const REFUSED = /^\\u(0000|[dD][89a-fA-F][0-9a-fA-F]{2})$/;

/** JSON text, keys included, that Postgres can store. `JSON.stringify` writes NUL and halves of pairs as escapes. */
const storableJson = (json: string): string =>
  storableText(json).replaceAll(ESCAPES, (found) => (REFUSED.test(found) ? REPLACEMENT : found));

/**
 * The values of a statement as Postgres can store them: `$n` of `text` belongs to `values[n - 1]`. Whatever a caller sends, a file holds
 * or a sentence was cut from goes through here, so that no text makes a statement fail. Nearly always the same array comes back.
 */
export function storableValues<Value>(text: string, values: readonly Value[]): readonly Value[] {
  return values.some(isSuspect)
    ? values.map((value, index) => storable(value, isJson(text, index + 1) ? storableJson : storableText))
    : values;
}

/** Quick, and sometimes wrong: a backslash and a `u` may be just that. */
function isSuspect(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0') || value.includes('\\u') || !value.isWellFormed();
  return Array.isArray(value) && value.some(isSuspect);
}

/** Whether the statement casts the parameter to `json` or `jsonb`, or to an array of these. */
const isJson = (text: string, position: number) => new RegExp(`\\$(slonik_)?${position}::"?jsonb?\\b`).test(text);

function storable<Value>(value: Value, mend: (text: string) => string): Value {
  if (typeof value === 'string') return mend(value) as Value;
  return Array.isArray(value) ? (value.map((item) => storable(item, mend)) as Value) : value;
}

/** What was thrown, with a message that can be stored: the queue keeps the message of a job that failed. */
export function storableError(error: unknown): unknown {
  if (error instanceof Error) error.message = storableText(error.message);
  return error;
}
