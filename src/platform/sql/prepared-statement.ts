import pg from 'pg';

/** A named statement, which every connection parses and plans once. */
export interface PreparedStatement {
  /** Unique for the text. */
  name: string;
  text: string;
  values: readonly unknown[];
}

/** Name and parser of a row's member. */
export interface Column {
  name: string;
  parse(text: string): unknown;
}
export type ColumnOf = (field: { name: string; dataTypeID: number }) => Column;

/** The part of `pg`'s connection that sends messages of the extended query protocol. */
interface Connection {
  stream: { cork(): void; uncork(): void };
  /** Name → text of the statements that the connection has parsed. */
  parsedStatements: Record<string, string>;
  parse(message: { name: string; text: string; types: number[] }): void;
  bind(message: { statement: string; values: readonly (string | null)[] }): void;
  describe(message: { type: 'P'; name: string }): void;
  execute(): void;
  sync(): void;
}

const columnsOf = new WeakMap<Connection, Map<string, Column[]>>();

/**
 * A `Submittable` for `pg` (`submit` and the `handle…` methods, like pg-cursor). `pg`'s own query sends Describe at
 * every execution, which is a tenth of the work of client and server; this one sends it once per connection. Values are
 * sent as text.
 */
export class PreparedQuery implements PreparedStatement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
  readonly #columnOf: ColumnOf;
  readonly #done: (error: Error | undefined, rows: Record<string, unknown>[]) => void;
  readonly #rows: Record<string, unknown>[] = [];
  #connection: Connection | undefined;
  #columns: Column[] | undefined;
  #failed: Error | undefined;

  constructor(
    { name, text, values }: PreparedStatement,
    columnOf: ColumnOf,
    done: (error: Error | undefined, rows: Record<string, unknown>[]) => void,
  ) {
    this.name = name;
    this.text = text;
    this.values = values;
    this.#columnOf = columnOf;
    this.#done = done;
  }

  submit(connection: Connection): Error | null {
    const { name, text } = this;
    this.#connection = connection;
    connection.stream.cork();
    try {
      if (connection.parsedStatements[name] === undefined) connection.parse({ name, text, types: [] });
      else this.#columns = columnsOf.get(connection)?.get(name);
      connection.bind({ statement: name, values: this.values.map(asText) });
      if (this.#columns === undefined) connection.describe({ type: 'P', name: '' });
      connection.execute();
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
    return null;
  }

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }) {
    this.#columns = fields.map(this.#columnOf);
    const connection = this.#connection as Connection;
    const known = columnsOf.get(connection) ?? new Map<string, Column[]>();
    columnsOf.set(connection, known.set(this.name, this.#columns));
  }

  /** Null columns become absent members. */
  handleDataRow({ fields }: { fields: (string | null)[] }) {
    const columns = this.#columns as Column[];
    const row: Record<string, unknown> = {};
    try {
      for (let n = 0; n < fields.length; n++) {
        const text = fields[n];
        if (text === null || text === undefined) continue;
        const { name, parse } = columns[n] as Column;
        row[name] = parse(text);
      }
      this.#rows.push(row);
    } catch (error) {
      this.#failed ??= error as Error;
    }
  }

  handleError(error: Error) {
    this.#done(error, []);
  }

  handleReadyForQuery() {
    this.#done(this.#failed, this.#rows);
  }

  handleCommandComplete() {}
  handleEmptyQuery() {}
}

/** A value in Postgres' text format. Supports no `Date`, `Buffer` or object. */
function asText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return arrayLiteral(value);
  return String(value);
}

const PLAIN = /^[\w.:@-]+$/;
/** Array literal of Postgres. Quotes elements unless they are plain. */
const arrayLiteral = (list: readonly unknown[]): string =>
  `{${list.map((each) => (each === null ? 'NULL' : elementText(String(each)))).join(',')}}`;
const elementText = (text: string) =>
  PLAIN.test(text) && !/^null$/i.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`;

export const nativeParser = (dataTypeID: number): ((text: string) => unknown) =>
  pg.types.getTypeParser(dataTypeID as never);
