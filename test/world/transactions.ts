import pg from 'pg';

type Query = (this: unknown, ...args: unknown[]) => Promise<unknown>;

/** A transaction that awaited something other than its own statements while it held its connection. */
export interface Wait {
  /** The statement before the wait. */
  after: string;
  /** The statement after the wait. */
  before?: string;
  /** Length of the wait in milliseconds. */
  for?: number;
}

interface Connection {
  inTransaction: boolean;
  pending: number;
  /** Number of statements sent, to detect whether another one followed. */
  sent: number;
  wait?: { found: Wait; since: number } | undefined;
}

/**
 * Watches all transactions of this process while `work` runs. A transaction that only sends statements sends the next
 * one in the same turn of the event loop in which it receives an answer. If the turn ends without it, the transaction
 * awaits something else: a file, a timer, a thread, the network, or a statement on another connection.
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
    const since = performance.now();
    const check = new Promise<void>((resolve) => {
      setImmediate(() => {
        if (connection.sent === sent) {
          const found = { after: startOf(text) };
          waits.push(found);
          connection.wait = { found, since };
        }
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
    const { wait } = connection;
    if (wait) Object.assign(wait.found, { before: startOf(text), for: performance.now() - wait.since });
    connection.wait = undefined;
    connection.pending++;
    if (/^\s*(start transaction|begin)\b/i.test(text)) connection.inTransaction = true;
    if (/^\s*(commit|rollback(?! to))\b/i.test(text)) connection.inTransaction = false;
    const answer = (query as unknown as Query).apply(this, args);
    // prepared statements return no promise; they run only on connections without transactions
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

const startOf = (text: string) => text.trim().replace(/\s+/g, ' ').slice(0, 200);
