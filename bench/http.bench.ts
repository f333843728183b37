import { Worker } from 'node:worker_threads';
import Fastify from 'fastify';
import pg from 'pg';
import { pino } from 'pino';
import { openPasswords } from '../src/accounts/password.ts';
import { buildApp } from '../src/app.ts';
import { openDiskStore } from '../src/blobs/disk.ts';
import { loadConfig } from '../src/config.ts';
import { findProject } from '../src/projects/queries.ts';
import { bootstrap } from '../src/tenants/bootstrap.ts';
import { openAccessTokens } from '../src/tokens/access.ts';
import { findIdentity } from '../src/tokens/identity.queries.ts';
import { testDatabase } from '../test/world/database.ts';

const ROUNDS = 5;
const SECONDS = 2;
const CONNECTIONS = 20;

/** In a thread of its own, so that asking and answering share no event loop: answers per second of one address. */
const ASKER = `
const { Agent, request } = require('node:http');
const { parentPort } = require('node:worker_threads');
parentPort.on('message', ({ url, headers, connections, seconds }) => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const end = performance.now() + seconds * 1000;
  let answers = 0, open = connections;
  const finish = () => { if (--open === 0) { agent.destroy(); parentPort.postMessage(answers / seconds); } };
  const ask = () => {
    if (performance.now() > end) return finish();
    request(url, { agent, headers }, (response) => {
      if (response.statusCode !== 200) throw new Error('status ' + response.statusCode);
      response.resume().on('end', () => { answers++; ask(); });
    }).end();
  };
  for (let i = 0; i < connections; i++) ask();
});`;

/** A signed-in GET by id through everything against a bare route with the same statement through pg. Target: ratio ≥ 0.5. */
export async function bench(): Promise<void> {
  const database = await testDatabase();
  const { db, url, folder } = database;
  const config = loadConfig({ PLATFORM_DATA: folder });
  const log = pino({ level: 'info' }, pino.destination({ dest: '/dev/null', sync: true }));
  const app = await buildApp({ config, db, blobs: await openDiskStore(`${folder}/blobs`), log });
  const { userId, tenantId } = await bootstrap(
    db,
    { accountId: 'root', password: 'Correct-horse-7' },
    openPasswords(10),
  );
  const identity = await findIdentity(db, userId);
  if (!identity) throw new Error('There is no administrator.');
  const { token } = await (await openAccessTokens(db, config)).issue(identity);
  const headers = { authorization: `Bearer ${token}` };
  const made = await app.inject({ method: 'POST', url: '/api/metadata/project', headers, payload: { name: 'one' } });
  const { id } = made.json();
  const ours = await app.listen({ port: 0, host: '127.0.0.1' });

  const pool = new pg.Pool({ connectionString: url, max: config['database.poolSize'] });
  const bare = Fastify();
  const { text, values } = statementOf(userId, tenantId, id);
  // a new object each time, and no name: the statement is not prepared
  bare.get('/:id', async () => (await pool.query({ text, values })).rows[0]);
  const theirs = await bare.listen({ port: 0, host: '127.0.0.1' });

  const asker = new Worker(ASKER, { eval: true });
  const measure = (address: string) =>
    new Promise<number>((resolve, reject) => {
      asker.removeAllListeners().once('message', resolve).once('error', reject);
      asker.postMessage({ url: address, headers, connections: CONNECTIONS, seconds: SECONDS });
    });
  const ratios: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const [us, them] = [await measure(`${ours}/api/metadata/project/${id}`), await measure(`${theirs}/${id}`)];
    if (round === 0) continue;
    ratios.push(us / them);
    console.log(`signed-in GET by id ${us.toFixed(0)}/s, bare ${them.toFixed(0)}/s, ratio ${(us / them).toFixed(2)}`);
  }
  const median = ratios.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
  console.log(`median ratio ${median.toFixed(2)} (target 0.5)`);

  await asker.terminate();
  await Promise.all([app.close(), bare.close()]);
  await pool.end();
  await database.close();
}

/** The statement of the real route, as pg takes it. */
function statementOf(userId: string, tenantId: string, id: string): { text: string; values: unknown[] } {
  let statement: { text: string; values: unknown[] } | undefined;
  const listener = {
    maybeOne: async ({ sql, values }: { sql: string; values: unknown[] }) => {
      statement = { text: sql.replaceAll('$slonik_', '$'), values };
    },
  };
  const caller = { userId, accountId: 'root', tenantId, tenants: [{ id: tenantId, role: 'Owner' }] };
  void findProject(listener as never, caller as never, id);
  if (!statement) throw new Error('No statement.');
  return statement;
}
