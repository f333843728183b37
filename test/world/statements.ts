import pg from 'pg';

/** How many statements about one of these words this process sends while `work` runs. Only in serial tests. */
export async function countStatements(words: RegExp, work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: unknown, ...args: unknown[]) {
    if (words.test(String((args[0] as { text?: string }).text ?? args[0]))) count++;
    return (query as (...all: unknown[]) => unknown).apply(this, args);
  } as typeof query;
  try {
    await work();
  } finally {
    pg.Client.prototype.query = query;
  }
  return count;
}
