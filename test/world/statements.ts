import pg from 'pg';

type Query = (this: unknown, ...args: unknown[]) => unknown;

/** Runs `work` and passes each SQL statement that this process sends meanwhile to `onStatement`. */
async function watched<T>(
  onStatement: (text: string, go: () => unknown, values: unknown[]) => unknown,
  work: () => Promise<T>,
): Promise<T> {
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: unknown, ...args: unknown[]) {
    const { text = String(args[0]), values = args[1] } = args[0] as { text?: string; values?: unknown };
    return onStatement(text, () => (query as Query).apply(this, args), Array.isArray(values) ? values : []);
  } as typeof query;
  try {
    return await work();
  } finally {
    pg.Client.prototype.query = query;
  }
}

/** Number of SQL statements matching `words` that this process sends while `work` runs. Only in serial tests. */
export async function countStatements(words: RegExp, work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  await watched((text, go) => {
    if (words.test(text)) count++;
    return go();
  }, work);
  return count;
}

/** Waits until this process has sent `count` more SQL statements matching `words`. Only in serial tests. */
export async function untilSent(words: RegExp, count: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let sent = 0;
  await watched(
    (text, go) => {
      if (words.test(text) && ++sent === count) resolve();
      return go();
    },
    () => promise,
  );
}

/** Runs `action` right before the first SQL statement of `work` that matches `words`. Only in serial tests. */
export async function justBefore<T>(words: RegExp, action: () => Promise<unknown>, work: () => Promise<T>): Promise<T> {
  let done = false;
  const answer = await watched((text, go) => {
    if (done || !words.test(text)) return go();
    done = true;
    return action().then(go);
  }, work);
  if (!done) throw new Error(`There was no statement with ${words}.`);
  return answer;
}

/** SQL statements matching `words` that this process sends while `work` runs. Only in serial tests. */
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
