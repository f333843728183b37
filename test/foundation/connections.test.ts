import test from 'ava';
import { z } from 'zod';
import { Database, type Reads, sql, type Transaction } from '../../src/db.ts';
import { conflict } from '../../src/errors.ts';
import { type TestDatabase, testDatabase } from '../world.ts';

let database: TestDatabase;
test.before(async () => {
  database = await testDatabase();
});
test.after.always(() => database?.close());

const backend = (db: Reads) => db.oneFirst(sql.type(z.object({ pid: z.number() }))`select pg_backend_pid() as pid`);

test('a transaction that is rolled back keeps its connection, which is as before', async (t) => {
  const db = new Database(database.url, 1);
  try {
    await db.transaction((tx) =>
      tx.query(
        sql.unsafe`create table kept (id int primary key, other int references kept deferrable initially deferred)`,
      ),
    );
    const pid = await backend(db);
    const failures: Record<string, (tx: Transaction) => Promise<unknown>> = {
      'a refusal': async (tx) => {
        await tx.query(sql.unsafe`set local lock_timeout = '1s'`);
        await tx.query(sql.unsafe`insert into kept values (1)`);
        throw conflict('no');
      },
      'a conflict': (tx) => tx.query(sql.unsafe`insert into kept values (1), (1)`),
      'a statement that is wrong': (tx) => tx.query(sql.unsafe`select from nothing`),
      'a commit that is refused': (tx) => tx.query(sql.unsafe`insert into kept values (1, 2)`),
      'a savepoint': (tx) => tx.transaction((inner) => inner.query(sql.unsafe`insert into kept values (1), (1)`)),
    };
    for (const [what, fails] of Object.entries(failures)) {
      await t.throwsAsync(db.transaction(fails), undefined, what);
      t.is(await backend(db), pid, what);
      t.deepEqual(await db.any(sql.unsafe`select * from kept`), [], what);
      t.is(
        await db.oneFirst(sql.type(z.object({ limit: z.string() }))`select current_setting('lock_timeout') as limit`),
        '0',
      );
    }
    await db.transaction((tx) => tx.query(sql.unsafe`insert into kept values (7)`));
    t.is(await backend(db), pid);
    await t.throwsAsync(db.transaction((tx) => tx.query(sql.unsafe`select pg_terminate_backend(pg_backend_pid())`)));
    t.not(await backend(db), pid, 'a broken connection is not used again');
    await db.transaction((tx) => tx.query(sql.unsafe`drop table kept`));
  } finally {
    await db.end();
  }
});
