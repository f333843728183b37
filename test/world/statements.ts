import pg from 'pg';

type Query = (this: unknown, ...args: unknown[]) => unknown;

/** Every statement that this process sends while `work` runs goes through `send`. */
async function watched<T>(
  send: (text: string, go: () => unknown, values: unknown[]) => unknown,
  work: () => Promise<T>,
): Promise<T> {
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: unknown, ...args: unknown[]) {
    const { text = String(args[0]), values = args[1] } = args[0] as { text?: string; values?: unknown };
    return send(text, () => (query as Query).apply(this, args), Array.isArray(values) ? values : []);
  } as typeof query;
  try {
    return await work();
  } finally {
    pg.Client.prototype.query = query;
  }
}

/** How many statements about one of these words this process sends while `work` runs. Only in serial tests. */
export async function countStatements(words: RegExp, work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  await watched((text, go) => {
    if (words.test(text)) count++;
    return go();
  }, work);
  return count;
}

/** Does `deed` right before the first statement with one of these words that `work` sends. Only in serial tests. */
export async function justBefore<T>(words: RegExp, deed: () => Promise<unknown>, work: () => Promise<T>): Promise<T> {
  let done = false;
  const answer = await watched((text, go) => {
    if (done || !words.test(text)) return go();
    done = true;
    return deed().then(go);
  }, work);
  if (!done) throw new Error(`There was no statement with ${words}.`);
  return answer;
}

/** Statements about one of these words that this process sends while `work` runs. Only in serial tests. */
export async function statementsOf(
  words: RegExp,
  work: () => Promise<unknown>,
): Promise<{ text: string; values: unknown[] }[]> {
  const sent: { text: string; values: unknown[] }[] = [];
  await watched((text, go, values) => {
    if (words.test(text)) sent.push({ text, values });
    return go();
  }, work);
  return sent;
}
