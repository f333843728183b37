import test, { type ExecutionContext } from 'ava';
import { answerWith, openReceiver, type Receiver } from '../world/receiver.ts';
import { startServer } from '../world/server.ts';
import { ASCII_GRID, copyRequest, newProject, untilEnd, upload } from '../world/transfers.ts';
import { startWorker } from '../world/worker.ts';
import { world } from '../world.ts';

const w = world(test);

interface Told {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: Record<string, unknown>;
  failed: boolean;
}

/** Spans as OTLP's JSON says them. */
function spansOf({ received }: Receiver): Told[] {
  return received.flatMap(({ body }) =>
    JSON.parse(body).resourceSpans.flatMap(({ resource, scopeSpans }: Record<string, never>) =>
      (scopeSpans as { spans: Record<string, never>[] }[]).flatMap(({ spans }) =>
        spans.map((span) => ({
          service: plain((resource as { attributes: never }).attributes)['service.name'],
          name: span.name,
          traceId: span.traceId,
          spanId: span.spanId,
          parentSpanId: span.parentSpanId,
          attributes: plain(span.attributes as never),
          failed: (span.status as { code?: number })?.code === 2,
        })),
      ),
    ),
  );
}

const plain = (attributes: { key: string; value: Record<string, unknown> }[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const [BAD, UNSAMPLED] = [TRACE.replace(/.$/, 'd'), TRACE.replace(/.$/, 'e')];
const REQUEST = 'POST /api/conversion/upload-convert';
/** Spans that the test looks at. */
const WANTED = [
  ...[REQUEST, 'transfer', 'fetch', 'convert', 'commit'].map((name) => ({ traceId: TRACE, name })),
  ...['convert', 'transfer'].map((name) => ({ traceId: BAD, name })),
];

/** What a collector got of three transfers, and how long the slower one of their two processes took to end. */
async function threeTransfers(t: ExecutionContext) {
  const collector = await openReceiver(answerWith(200));
  t.teardown(() => collector.close());
  const settings = { 'otel.endpoint': `http://${collector.place}/`, 'otel.headers': 'x-collector=open-sesame' };
  const server = await startServer(w, settings);
  const worker = await startWorker(w, settings);
  const owner = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const client = w.as(owner);
  const projectId = await newProject(client);
  const token = await w.tokenOf(owner);
  const request = async (body: object, traceparent: string) => {
    const answer = await fetch(`${server.url}/api/conversion/upload-convert?secret=in-the-query`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', prefer: 'wait=30', traceparent },
      body: JSON.stringify(body),
    });
    const { id } = (await answer.json()) as { id: string };
    return untilEnd(client, id);
  };
  const uploadUrl = await upload(w, client, ASCII_GRID);
  const grid = { readerName: 'AsciiGridReader', writerName: 'GeoTiffWriter' };
  const done = await request(copyRequest(projectId, uploadUrl, grid), `00-${TRACE}-b7ad6b7169203331-01`);
  t.is(done.status, 'Completed');
  const failed = await request(
    copyRequest(projectId, await upload(w, client, 'no grid'), grid),
    `00-${BAD}-b7ad6b7169203331-01`,
  );
  t.is(failed.status, 'Error');
  await request(copyRequest(projectId, await upload(w, client, 'words')), `00-${UNSAMPLED}-b7ad6b7169203331-00`);
  let took = 0;
  for (const one of [server, worker]) {
    const ends = performance.now();
    await one.stop();
    took = Math.max(took, performance.now() - ends);
  }
  const all = spansOf(collector);
  const whole = WANTED.every(({ traceId, name }) => all.some((span) => span.traceId === traceId && span.name === name));
  const secrets = [token, new URL(uploadUrl).search.slice(1)];
  return { received: collector.received, all, whole, took, id: done.id, secrets };
}

test('a trace spans the request, its job and the commit, and contains no secret', async (t) => {
  let run = await threeTransfers(t);
  // a process that ends waits one second for the collector, which a busy machine may exceed
  while (!run.whole && run.took > 990) run = await threeTransfers(t);

  const spans = run.all.filter((span) => span.traceId === TRACE);
  const named = (name: string) => spans.find((span) => span.name === name);
  const [http, transfer] = [named(REQUEST), named('transfer')];
  t.like(http, { service: 'platform-api', parentSpanId: 'b7ad6b7169203331', failed: false });
  t.is(http?.attributes['http.route'], '/api/conversion/upload-convert');
  t.is(Number(http?.attributes['http.response.status_code']), 200);
  t.like(transfer, { service: 'platform-worker', parentSpanId: http?.spanId ?? '', failed: false });
  t.is(transfer?.attributes['platform.transfer.id'], run.id);
  for (const step of ['fetch', 'convert', 'commit']) t.is(named(step)?.parentSpanId, transfer?.spanId, step);
  t.is(named('convert')?.attributes['platform.reader'], 'AsciiGridReader');

  const bad = run.all.filter((span) => span.traceId === BAD);
  t.deepEqual(
    bad
      .filter((span) => span.failed)
      .map(({ name }) => name)
      .sort(),
    ['convert', 'transfer'],
  );
  t.false(
    run.all.some((span) => span.traceId === UNSAMPLED),
    'its caller wants no trace',
  );
  t.true(run.received.every(({ headers }) => headers['x-collector'] === 'open-sesame'));
  const text = run.received.map(({ body }) => body).join('');
  for (const secret of [...run.secrets, 'in-the-query', 'open-sesame']) t.false(text.includes(secret), secret);
});

test('an unreachable trace collector has no effect', async (t) => {
  const gone = await openReceiver();
  await gone.close();
  const settings = { 'otel.endpoint': `http://${gone.place}` };
  const server = await startServer(w, settings);
  t.is((await fetch(`${server.url}/api/crs/coordinate-system/25832`)).status, 401);
  await server.stop();
  t.is((await server.ended)[0], 0);
});
