import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { AppError } from '../../src/errors.ts';
import { type FetchFile, Inspector } from '../../src/transfers/inspect/inspector.ts';
import { ASCII_GRID } from '../world/transfers.ts';

const folder = await mkdtemp(join(tmpdir(), 'inspector-'));
const inspector = new Inspector(join(folder, 'cache'));
test.after.always(async () => {
  await inspector.close();
  await rm(folder, { recursive: true, force: true });
});
const request = { statistics: false, writers: 'files' } as const;

/** A file that comes when `come` is called, or never. */
function slow() {
  const coming = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<string>();
  const fetch: FetchFile = async (path, { signal }) => {
    begun.resolve(path);
    signal.addEventListener('abort', () => coming.reject(signal.reason));
    await coming.promise;
    await writeFile(path, ASCII_GRID);
  };
  return { fetch, come: coming.resolve, begun: begun.promise };
}

test.serial('when all places are taken an inspection is refused, with the time to try again', async (t) => {
  const running = [slow(), slow()];
  const left = new AbortController();
  const turn = { tenant: 'one', signal: left.signal };
  const results = running.map(({ fetch }) => inspector.inspect(turn, request, fetch));
  await Promise.all(running.map(({ begun }) => begun));
  const waiting = Array.from({ length: 5 }, () =>
    inspector.inspect(turn, request, slow().fetch).catch((error) => error),
  );
  const refused = await t.throwsAsync(inspector.inspect(turn, request, slow().fetch), { instanceOf: AppError });
  t.is((refused as AppError).kind, 'unavailable');
  t.is((refused as AppError).details.retryAfter, 5);
  running[0]!.come();
  t.like(await results[0], { reader: 'AsciiGridReader', kind: 'grid', width: 4 });
  left.abort(new Error('The client has left.'));
  const [ended] = await Promise.allSettled([results[1]]);
  t.is(ended.status, 'rejected');
  for (const error of await Promise.all(waiting)) t.regex(error.message, /client has left/);
});

test.serial('no file is left behind, also after an error', async (t) => {
  const here = new Set<string>();
  const { signal } = new AbortController();
  const seen: FetchFile = async (path) => {
    here.add(join(path, '..'));
    await writeFile(path, ASCII_GRID.slice(0, 40));
  };
  await t.throwsAsync(
    inspector.inspect({ tenant: 'one', signal }, { ...request, reader: { name: 'AsciiGridReader' } }, seen),
    { instanceOf: AppError, message: /row|cellsize|header|value/i },
  );
  t.is(here.size, 1);
  for (const one of here) await t.throwsAsync(readdir(one), { code: 'ENOENT' });
});

test.serial('a file that is larger than the room is refused before it is read', async (t) => {
  const { signal } = new AbortController();
  const large: FetchFile = async (_path, { room }) => {
    throw room.exceeded();
  };
  const error = await t.throwsAsync(inspector.inspect({ tenant: 'one', signal }, request, large));
  t.is(error?.message, 'The inspection needed more than its 2 GB of scratch space.');
});
