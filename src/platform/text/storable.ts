/** Replaces characters that Postgres cannot store in text and JSON: NUL, and lone surrogates. */
const REPLACEMENT = '\ufffd';

export const storableText = (text: string): string => text.replaceAll('\0', REPLACEMENT).toWellFormed();

/** Escapes in JSON text, in this order: surrogate pairs, NUL, lone surrogates, all others. */
const ESCAPES =
  /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u0000|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\./gs;
const NOT_STORABLE = /^\\u(0000|[dD][89a-fA-F][0-9a-fA-F]{2})$/;

/** Also replaces escapes in keys and values: `JSON.stringify` writes NUL and lone surrogates as escapes. */
const storableJson = (json: string): string =>
  storableText(json).replaceAll(ESCAPES, (found) => (NOT_STORABLE.test(found) ? REPLACEMENT : found));

/**
 * The values of a statement with characters replaced that Postgres cannot store, so that no string from a request or a
 * file makes a statement fail. `$n` of `text` belongs to `values[n - 1]`. Returns the same array if nothing must be
 * replaced, which is the usual case.
 */
export function storableValues<Value>(text: string, values: readonly Value[]): readonly Value[] {
  return values.some(isSuspect)
    ? values.map((value, index) => storable(value, isJson(text, index + 1) ? storableJson : storableText))
    : values;
}

/** A quick test with false positives: `\u` need not be an escape. */
function isSuspect(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0') || value.includes('\\u') || !value.isWellFormed();
  return Array.isArray(value) && value.some(isSuspect);
}

/** Whether the statement casts the parameter to `json` or `jsonb`, or to an array of these. */
const isJson = (text: string, position: number) => new RegExp(`\\$(slonik_)?${position}::"?jsonb?\\b`).test(text);

function storable<Value>(value: Value, replace: (text: string) => string): Value {
  if (typeof value === 'string') return replace(value) as Value;
  return Array.isArray(value) ? (value.map((item) => storable(item, replace)) as Value) : value;
}

/** The error with a storable message: the queue stores the messages of failed jobs. */
export function storableError(error: unknown): unknown {
  if (error instanceof Error) error.message = storableText(error.message);
  return error;
}
