import type { Answer } from './client.ts';
import type { Io } from './io.ts';
import type { GivenFile } from './staged-file.ts';
import type { TransferSummary } from './watch.ts';
import { showEnded, watchTransfer } from './watch.ts';

export interface StartOptions {
  watch?: boolean;
  dryRun?: boolean;
}

/** What a start says when it only tries. */
interface DryRun {
  valid: true;
  warnings: string[];
}

const tryStart = (io: Io, path: string, body: unknown) =>
  io.api.call<DryRun>('POST', path, { body, query: { dryRun: true } });

/** Tells whether a start would be taken, and what to expect of it; whatever is wrong with it makes the command fail. */
export async function showDryRun(io: Io, path: string, body: unknown): Promise<void> {
  const answer = await tryStart(io, path, body);
  io.show(answer, ({ warnings }) =>
    ['It could be started.', ...warnings.map((sentence) => `Warning: ${sentence}`)].join('\n'),
  );
}

/** Starts a transfer, and follows it where that is wanted. */
export async function startTransfer(io: Io, path: string, body: unknown, { watch, dryRun }: StartOptions) {
  if (dryRun) return showDryRun(io, path, body);
  await followed(io, await io.api.call<TransferSummary>('POST', path, { body }), watch);
}

/** Follows what was started to its end, or only tells its id. */
export async function followed(io: Io, started: Answer<TransferSummary>, watch = io.interactive): Promise<void> {
  if (watch) showEnded(io, await watchTransfer(io, started.body.id));
  else io.show(started, ({ id }) => id);
}

/** The same of one that reads a file. Before a local one is sent the start is tried: what is wrong with it shows up before, not after. */
export async function startWithFile(
  io: Io,
  path: string,
  { file, ...rest }: { file: GivenFile } & Record<string, unknown>,
  options: StartOptions,
): Promise<void> {
  const body = { ...rest, originalFileName: file.name, uploadUrl: await file.address() };
  if (file.send && options.dryRun) io.note('The file is not sent: this only tries.');
  else if (file.send) {
    await tryStart(io, path, body);
    await file.send(body.uploadUrl);
  }
  await startTransfer(io, path, body, options);
}
