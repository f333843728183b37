import test from 'ava';
import type { Io } from '../../cli/io.ts';
import { programFor } from '../../cli/program.ts';
import { startTransfer, startWithFile } from '../../cli/start-transfer.ts';

/**
 * Requests and printed lines, in order. The API returns these credits, and the warnings that `warningsOf` returns for a
 * path.
 */
function recorded(credits: number | undefined, warningsOf: (path: string) => string[] = () => []) {
  const told: unknown[] = [];
  const io = {
    interactive: false,
    api: {
      async call(_method: string, path: string, { query }: { query?: object } = {}) {
        told.push([path, query ?? {}]);
        return { body: query ? { valid: true, warnings: warningsOf(path), credits } : { id: 'the-id' } };
      },
    },
    note: (text: string) => told.push(text.replace(/,.*/, '')),
    show: ({ body }: { body: unknown }, human: (body: unknown) => string) => told.push(human(body)),
  } as unknown as Io;
  return { io, told };
}
const PATH = '/api/metadata/dataset/1/convert';

test('the price of a transfer is shown before it starts, of remote files too', async (t) => {
  const { io, told } = recorded(2.5);
  const wanted = [[PATH, { dryRun: true }], 'Costs at most 2.5 credits', [PATH, {}], 'the-id'];
  await startTransfer(io, PATH, {}, {});
  t.deepEqual(told.splice(0), wanted);
  const file = { name: 'a.asc', address: async () => 'https://example.com/a.asc' };
  await startWithFile(io, PATH, { file } as never, {});
  t.deepEqual(told, wanted);
});

test('the price of a retry is shown before it starts; --dry-run shows only the price', async (t) => {
  const { io, told } = recorded(2.5);
  const path = '/api/conversion/transfer/1/retry';
  const run = async (...args: string[]) =>
    (await programFor(['transfer', 'retry'], io)).parseAsync(['transfer', 'retry', '1', ...args], { from: 'user' });
  await run();
  t.deepEqual(told.splice(0), [[path, { dryRun: true }], 'Costs at most 2.5 credits', [path, {}], 'the-id']);
  await run('--dry-run');
  t.deepEqual(told[0], [path, { dryRun: true }]);
  t.regex(String(told[1]), /^It could be started\.\nCosts at most 2\.5 credits, /);
  t.is(told.length, 2);
});

test("the price of each job of an operator's retry is shown before it starts; --dry-run shows only the prices", async (t) => {
  const { io, told } = recorded(2.5);
  const run = async (...args: string[]) =>
    (await programFor(['job', 'retry'], io)).parseAsync(['job', 'retry', ...args], { from: 'user' });
  await run('1', '2');
  const paths = ['/api/admin/job/1/retry', '/api/admin/job/2/retry'];
  t.deepEqual(
    told.splice(0),
    paths.flatMap((path) => [[path, { dryRun: true }], 'Costs at most 2.5 credits', [path, {}], 'the-id']),
  );
  await run('1', '--dry-run');
  t.deepEqual(told[0], [paths[0], { dryRun: true }]);
  t.regex(String(told[1]), /^It could be started\.\nCosts at most 2\.5 credits, /);
  t.is(told.length, 2);
  await t.throwsAsync(run('--fingerprint', 'f', '--dry-run'), { message: /--dry-run needs ids of jobs/ });
});

test('a retry that would fail for a missing parameter is not started; the others are', async (t) => {
  const missing = "Parameter 'TilingSchemes' is required by TilingWriter.";
  const { io, told } = recorded(undefined, (path) => (path.includes('/2/') ? [missing] : []));
  const run = async (noun: string, ...args: string[]) =>
    (await programFor([noun, 'retry'], io)).parseAsync([noun, 'retry', ...args], { from: 'user' });
  const message = `The transfer would fail: ${missing} A retry cannot set it. Start a new transfer.`;
  await t.throwsAsync(run('job', '1', '2', '3'), { message: '1 of 3 jobs were refused.' });
  const at = (id: number) => `/api/admin/job/${id}/retry`;
  const started = (id: number) => [[at(id), { dryRun: true }], [at(id), {}], 'the-id'];
  t.deepEqual(told, [...started(1), [at(2), { dryRun: true }], ...started(3), `platform: ${message}`]);
  await t.throwsAsync(run('job', '2', '--dry-run'), { message });
  await t.throwsAsync(run('transfer', '2'), { message });
});

test('a free transfer shows no price', async (t) => {
  const { io, told } = recorded(undefined);
  await startTransfer(io, PATH, {}, {});
  t.deepEqual(told, [[PATH, { dryRun: true }], [PATH, {}], 'the-id']);
});
