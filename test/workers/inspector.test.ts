import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { AppError } from '../../src/errors.ts';
import { type FetchFile, Inspector } from '../../src/transfers/inspect/inspector.ts';
import { ASCII_GRID } from '../world/transfers.ts';

const folder = await mkdtemp(join(tmpdir(), 'inspector-'));
const scratch = join(folder, 'inspections');
const compileCache = join(folder, 'cache');
const inspector = new Inspector({ scratch, compileCache });
const program = fileURLToPath(new URL('programs/misbehave.ts', import.meta.url));
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

for (const [misdeed, limits, sentence] of [
  ['spin', { timeMs: 3000, memoryMb: 300, scratchGb: 1 }, /^The inspection took longer than its time limit of 3 s/],
  ['eat', { timeMs: 300_000, memoryMb: 300, scratchGb: 1 }, /needed more than its memory limit of 300 MB\.$/],
  ['crash', { timeMs: 300_000, memoryMb: 300, scratchGb: 1 }, /the process that read it has died\.$/],
] as const)
  test.serial(`an inspection whose process does '${misdeed}' ends with a sentence, and leaves no file`, async (t) => {
    const own = join(folder, misdeed);
    const harmed = new Inspector({ scratch: own, compileCache, program, limits });
    t.teardown(() => harmed.close());
    const { signal } = new AbortController();
    const turn = { tenant: 'one', signal };
    const given = { ...request, reader: { name: misdeed } };
    const error = await t.throwsAsync(
      harmed.inspect(turn, given, (path) => writeFile(path, 'x')),
      { instanceOf: AppError, message: sentence },
    );
    t.is((error as AppError).kind, 'unprocessable');
    t.deepEqual(await readdir(own), []);
  });

test.serial('folders that a killed process has left are removed, but not those in use', async (t) => {
  const left = join(scratch, 'inspect-left');
  const used = join(scratch, 'inspect-used');
  for (const path of [left, used]) await mkdir(path, { recursive: true });
  await writeFile(join(left, 'input'), ASCII_GRID);
  await utimes(left, 0, Date.now() / 1000 - 3600);
  const { signal } = new AbortController();
  await inspector.inspect({ tenant: 'one', signal }, request, (path) => writeFile(path, ASCII_GRID));
  t.deepEqual(await readdir(scratch), ['inspect-used']);
});
