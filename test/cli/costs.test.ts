import test from 'ava';
import type { Io } from '../../cli/io.ts';
import { startTransfer, startWithFile } from '../../cli/start-transfer.ts';

/** What is called and told, in this order. The API asks 2.5 credits, or nothing. */
function recorded(credits: number | undefined) {
  const told: unknown[] = [];
  const io = {
    interactive: false,
    api: {
      async call(_method: string, path: string, { query }: { query?: object } = {}) {
        told.push([path, query ?? {}]);
        return { body: query ? { valid: true, warnings: [], credits } : { id: 'the-id' } };
      },
    },
    note: (text: string) => told.push(text.replace(/,.*/, '')),
    show: (_answer: unknown, human: () => string) => told.push(human()),
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

test('a free transfer shows no price', async (t) => {
  const { io, told } = recorded(undefined);
  await startTransfer(io, PATH, {}, {});
  t.deepEqual(told, [[PATH, { dryRun: true }], [PATH, {}], 'the-id']);
});
