import pg from 'pg';

type Query = (this: unknown, ...args: unknown[]) => Promise<unknown>;

/** A transaction that kept its connection while it waited for something that is no statement of its own. */
export interface Wait {
  /** The statement before the wait. */
  after: string;
}

interface Connection {
  inTransaction: boolean;
  pending: number;
  /** Counts statements, to tell whether one was sent meanwhile. */
  sent: number;
}

/**
 * Watches all transactions of this process while `work` runs. A transaction that does nothing but send statements sends the next one in the
 * turn of the event loop in which it got the answer to the last. When a turn ends without it, something else is awaited: a file, a timer, a
 * thread, the network, or a statement of another connection.
 */
export async function waitsWithin(work: () => Promise<unknown>): Promise<Wait[]> {
  const { query } = pg.Client.prototype;
  const connections = new WeakMap<object, Connection>();
  const waits: Wait[] = [];
  const checks = new Set<Promise<void>>();

  function answered(connection: Connection, text: string) {
    connection.pending--;
    if (!connection.inTransaction || connection.pending > 0) return;
    const { sent } = connection;
    const check = new Promise<void>((resolve) => {
      setImmediate(() => {
        if (connection.sent === sent) waits.push({ after: text.trim().replace(/\s+/g, ' ').slice(0, 200) });
        checks.delete(check);
        resolve();
      });
    });
    checks.add(check);
  }

  pg.Client.prototype.query = function (this: object, ...args: unknown[]) {
    const { text = String(args[0]) } = args[0] as { text?: string };
    const connection = connections.get(this) ?? { inTransaction: false, pending: 0, sent: 0 };
    connections.set(this, connection);
    connection.sent++;
    connection.pending++;
    if (/^\s*(start transaction|begin)\b/i.test(text)) connection.inTransaction = true;
    if (/^\s*(commit|rollback(?! to))\b/i.test(text)) connection.inTransaction = false;
    const answer = (query as unknown as Query).apply(this, args);
    // a prepared statement answers by itself, on a connection that has no transactions
    if (!(answer instanceof Promise)) return answer;
    const done = () => answered(connection, text);
    answer.then(done, done);
    return answer;
  } as unknown as typeof query;
  try {
    await work();
    await Promise.all(checks);
  } finally {
    pg.Client.prototype.query = query;
  }
  return waits;
}
