import type pg from 'pg';

/**
 * Runs the statements of a file inside the transaction of `client`. The error of a failed statement names file and
 * line, and has the SQLSTATE as `code`.
 */
export async function runSqlFile(client: pg.Client, name: string, text: string): Promise<void> {
  let completed = 0;
  const count = () => void completed++;
  client.connection.on('commandComplete', count);
  try {
    await client.query(text);
  } catch (error) {
    const { position, message } = error as pg.DatabaseError;
    const offset = Number(position) > 0 ? Number(position) - 1 : (statementStarts(text)[completed] ?? 0);
    const line = text.slice(0, offset).split('\n').length;
    throw Object.assign(new Error(`${name}:${line}: ${message}`, { cause: error }), {
      code: (error as { code?: string }).code,
    });
  } finally {
    client.connection.off('commandComplete', count);
  }
}

/**
 * Tokens: strings, quoted names, dollar quotes, comments and blanks; then the semicolon that ends a statement; then
 * words and characters.
 */
const TOKENS =
  /'(?:[^']|'')*'|"[^"]*"|\$(\w*)\$[\s\S]*?\$\1\$|(?<comment>--[^\n]*|\/\*[\s\S]*?\*\/|\s+)|(?<end>;)|\w+|./g;

/** Offset of each statement, for errors to which Postgres adds no `position`, such as "relation already exists". */
function statementStarts(text: string): number[] {
  const starts: number[] = [];
  let inside = false;
  for (const { index, groups } of text.matchAll(TOKENS)) {
    if (groups?.end !== undefined) inside = false;
    else if (!inside && groups?.comment === undefined) {
      starts.push(index);
      inside = true;
    }
  }
  return starts;
}
