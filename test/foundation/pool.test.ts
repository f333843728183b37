import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import test from 'ava';
import pg, { type PoolClient } from 'pg';
import { Database, sql } from '../../src/db.ts';
import { listen } from '../../src/platform/postgres/listen.ts';
import { openPool } from '../../src/platform/sql/pool.ts';
import { type TestDatabase, testDatabase } from '../world.ts';

let database: TestDatabase;
test.before(async () => {
  database = await testDatabase();
});
test.after.always(() => database?.close());

/** The error that `pg` emits for a server message without a statement. */
const breaks = (client: PoolClient) => client.emit('error', new Error('terminating connection'));

test('a connection that breaks in use, idle, or while its pool closes does not end the process', async (t) => {
  const broken: string[] = [];
  const pool = openPool({ connectionString: database.url }, ({ message }) => void broken.push(message));
  const client = await pool.connect();
  t.notThrows(() => breaks(client));
  t.deepEqual(broken, [], 'in use: its statement rejects');
  client.release();
  const ended = pool.end();
  t.notThrows(() => breaks(client));
  await ended;
  t.notThrows(() => breaks(client));
});

test('a pool keeps working after the server has closed its idle connections, and logs the loss', async (t) => {
  const told = Promise.withResolvers<string>();
  const pool = openPool({ connectionString: database.url }, ({ message }) => told.resolve(message));
  const admin = new pg.Client(database.url);
  await admin.connect();
  try {
    const { rows } = await pool.query('select pg_backend_pid() as pid');
    await admin.query('select pg_terminate_backend($1)', [rows[0].pid]);
    t.regex(await told.promise, /terminating connection/);
    t.deepEqual((await pool.query('select 1 as one')).rows, [{ one: 1 }]);
  } finally {
    await admin.end();
    await pool.end();
  }
});

test('a listener that is stopped while it connects has ended, also if the server does not answer', async (t) => {
  const accepted: Socket[] = [];
  const silent = createServer({ allowHalfOpen: true }, (socket) => {
    accepted.push(socket.on('error', () => {}));
  });
  silent.listen(0, '127.0.0.1');
  t.teardown(() => {
    for (const socket of accepted) socket.destroy();
    silent.close();
  });
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const unanswered = `postgres://nobody@127.0.0.1:${port}/nothing`;

  const accepting = once(silent, 'connection');
  const stop = listen(unanswered, 'channel', () => {});
  await accepting;
  await stop();
  for (const url of [database.url, unanswered]) await listen(url, 'channel', () => {})();
  t.pass();
});

/** A Postgres that accepts every login, and resets the connection at the first statement. */
async function dyingPostgres(): Promise<{ url: string; close(): void }> {
  const ready = Buffer.concat([Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0]), Buffer.from([0x5a, 0, 0, 0, 5, 0x49])]);
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write(ready);
      socket.once('data', () => socket.resetAndDestroy());
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `postgres://one@127.0.0.1:${(server.address() as AddressInfo).port}/any`, close: () => server.close() };
}

test('a connection that breaks at its first statement rejects, and does not end the process', async (t) => {
  const dying = await dyingPostgres();
  t.teardown(dying.close);
  const db = new Database(dying.url, 1);
  t.teardown(() => db.end());
  // an unhandled error event would end the process of this test
  await t.throwsAsync(db.any(sql.unsafe`select 1`));
  await t.throwsAsync(db.transaction((tx) => tx.query(sql.unsafe`select 1`)));
});
