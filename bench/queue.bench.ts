import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { connect } from '../src/db.ts';
import { startLocalPostgres } from '../src/local-postgres.ts';
import { migrate } from '../src/migrate.ts';
import { bootstrap } from '../src/tenants/bootstrap.ts';

const ROUNDS = 5;
const SUBMITS = 1000;
const CONVERSIONS = 1000;
const CLIENTS = 10;
const PASSWORD = 'Bench-password-1';
const PROGRAM = fileURLToPath(new URL('../bin/platform', import.meta.url));

/**
 * Submitting a transfer over HTTP (signed in, checked, project and file looked up, row, job and event in one transaction) against a bare
 * client that inserts the same row and calls add_job in one transaction. Then 1,000 files of a kilobyte, from the first submit over HTTP
 * until the last transfer is Completed, by one worker process.
 */
export async function bench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'platform-bench-'));
  const server = await startLocalPostgres(join(folder, 'postgres'));
  const db = new pg.Pool({ connectionString: server.url, max: CLIENTS });
  const parts: Part[] = [];
  try {
    await migrate(server.url);
    await makeAdministrator(server.url);
    const launch = async (name: string) => {
      const part = await startPart(name, { PLATFORM_DATABASE_URL: server.url, PLATFORM_DATA: folder });
      parts.push(part);
      return part;
    };
    const api = await launch('serve');
    const call = caller(api.address);
    const submit = await submitter(call);

    const ratios: number[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const bare = await perSecond(SUBMITS, bareSubmit(db));
      const ours = await perSecond(SUBMITS, submit);
      // the first round warms both up
      if (round > 0) ratios.push(ours / bare);
      console.log(
        `submit: ${ours.toFixed(0)}/s, bare insert and add_job: ${bare.toFixed(0)}/s, ratio ${(ours / bare).toFixed(2)}`,
      );
    }
    ratios.sort((a, b) => a - b);
    console.log(`submit, median ratio: ${(ratios[Math.floor(ratios.length / 2)] as number).toFixed(2)} (wanted: 0.3)`);

    await db.query('truncate graphile_worker._private_jobs, transfers, transfer_log');
    await launch('work');
    for (let round = 0; round < 3; round++) {
      const started = performance.now();
      await perSecond(CONVERSIONS, submit);
      const submitted = performance.now();
      await allCompleted(db);
      const all = (performance.now() - started) / 1000;
      console.log(
        `${CONVERSIONS} conversions: ${(CONVERSIONS / all).toFixed(0)}/s end to end (${all.toFixed(1)} s, submitted after ${((submitted - started) / 1000).toFixed(1)} s; wanted: 100/s)`,
      );
      await db.query('truncate transfers, transfer_log');
    }
  } finally {
    await Promise.all(parts.map((part) => part.stop()));
    await db.end();
    await server.stopIfIdle();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Part {
  address: string;
  stop(): Promise<void>;
}

async function startPart(name: string, env: Record<string, string>): Promise<Part> {
  const child = spawn(process.execPath, [PROGRAM, name], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { PLATFORM_LOG_LEVEL: 'warn', PLATFORM_PORT: '0', ...env },
  });
  const [message] = await once(child, 'message');
  return {
    address: (message as { address?: string }).address ?? '',
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

async function makeAdministrator(url: string) {
  const db = await connect(url, 2);
  await bootstrap(db, { accountId: 'bench', password: PASSWORD });
  await db.end();
}

type Call = (method: string, path: string, body?: string | Buffer, headers?: Record<string, string>) => Promise<string>;

/** HTTP on kept connections; anything but 2xx ends the measurement. */
function caller(address: string): Call {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  return (method, path, body = '', headers = {}) =>
    new Promise((resolve, reject) => {
      const url = new URL(path, address);
      const outgoing = request(
        url,
        { method, agent, headers: { 'content-length': Buffer.byteLength(body), ...headers } },
        (incoming) => {
          let text = '';
          incoming.setEncoding('utf8');
          incoming.on('data', (chunk: string) => {
            text += chunk;
          });
          incoming.on('end', () => {
            if (Math.floor((incoming.statusCode ?? 0) / 100) === 2) resolve(text);
            else reject(new Error(`${method} ${path}: ${incoming.statusCode} ${text}`));
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
}

/** Signs in, makes a project, uploads a kilobyte; what comes back starts one transfer. */
async function submitter(call: Call): Promise<() => Promise<unknown>> {
  const json = { 'content-type': 'application/json' };
  const login = JSON.parse(
    await call('POST', '/api/tokens', JSON.stringify({ id: 'bench', password: PASSWORD }), json),
  );
  const headers = { ...json, authorization: `Bearer ${login.accessToken.token}` };
  const project = JSON.parse(await call('POST', '/api/metadata/project', JSON.stringify({ name: 'bench' }), headers));
  const { data } = JSON.parse(await call('GET', '/api/conversion/transfer/upload-url', '', headers));
  const { pathname, search } = new URL(data);
  await call('PUT', `${pathname}${search}`, Buffer.alloc(1024, 'x'));
  const body = JSON.stringify({
    projectId: project.id,
    originalFileName: 'file.txt',
    uploadUrl: data,
    outputDatasetData: { name: 'file.txt' },
    readerName: 'FileReader',
    writerName: 'FileWriter',
  });
  return () => call('POST', '/api/conversion/upload-convert', body, headers);
}

/** The least that any platform on this queue has to do. */
function bareSubmit(db: pg.Pool): () => Promise<unknown> {
  return async () => {
    const client = await db.connect();
    try {
      await client.query('begin');
      const { rows } = await client.query(
        `insert into transfers (tenant_id, project_id, type, format, request, created_by, updated_by, account_id, memory_mb)
         select tenant_id, id, 'Import', 'file', $1, created_by, created_by, 'bench', 4096 from projects limit 1 returning id`,
        [JSON.stringify({ readerName: 'FileReader', writerName: 'FileWriter' })],
      );
      const { id } = rows[0];
      await client.query(
        `select graphile_worker.add_job('runTransfer', payload => json_build_object('transferId', $1::text), job_key => $1)`,
        [id],
      );
      await client.query('commit');
    } finally {
      client.release();
    }
  };
}

/** Does it so often, by some clients at once; how many a second. */
async function perSecond(times: number, work: () => Promise<unknown>): Promise<number> {
  let left = times;
  const started = performance.now();
  const client = async () => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return times / ((performance.now() - started) / 1000);
}

async function allCompleted(db: pg.Pool) {
  for (;;) {
    const { rows } = await db.query(
      `select count(*) filter (where status = 'Completed')::int as done, count(*) filter (where status = 'Error')::int as failed from transfers`,
    );
    const { done, failed } = rows[0];
    if (failed > 0) throw new Error(`${failed} transfers failed.`);
    if (done === CONVERSIONS) return;
    await sleep(20);
  }
}
