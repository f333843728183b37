import type { Summary } from '../src/transfers/queries.ts';
import type { DryRun } from '../src/transfers/starts/bodies.ts';
import type { Answer } from './client.ts';
import { composed } from './client.ts';
import type { Io } from './io.ts';
import type { Estimate, Plan } from './local-file.ts';
import type { GivenFile } from './staged-file.ts';
import { uploadShown } from './staged-file.ts';
import { bytes } from './table.ts';
import { followTransfer, showEnded } from './watch.ts';

export interface StartOptions {
  watch?: boolean;
  dryRun?: boolean;
}

const tryStart = (io: Io, path: string, body: unknown) =>
  io.api.call<DryRun>('POST', path, { body, query: { dryRun: true } });

/**
 * Tells whether a start would be taken, and what to expect of it; whatever is wrong with it makes the command fail, what would end it in
 * the worker too.
 * @param local what was found in a local file, which is not uploaded
 */
export async function showDryRun(io: Io, path: string, body: unknown, local?: LocalTrial): Promise<void> {
  const answer = await tryStart(io, path, body);
  const missing = answer.body.warnings.find((sentence) => / is required by \w+\.$/.test(sentence));
  if (missing !== undefined) throw new Error(`It would fail: ${missing} Give it with --param.`);
  if (local === undefined) return io.show(answer, ({ warnings }) => forecast(warnings));
  const { estimate } = local;
  io.show(composed({ ...answer.body, ...(estimate === undefined ? {} : { estimate }) }), ({ warnings }) =>
    forecast(
      warnings.filter((sentence) => !sentence.startsWith('Nothing was uploaded')),
      estimate,
    ),
  );
}

interface LocalTrial {
  estimate: Estimate | undefined;
}

function forecast(warnings: readonly string[], estimate?: Estimate): string {
  const lines = ['It could be started.'];
  if (estimate?.content) lines.push(`Found: ${estimate.content}.`);
  if (estimate !== undefined)
    lines.push(
      `Estimate: about ${duration(estimate.seconds)} of conversion, about ${bytes(Math.round(estimate.bytes))} before compression.`,
    );
  return [...lines, ...warnings.map((sentence) => `Warning: ${sentence}`)].join('\n');
}

const duration = (seconds: number) => (seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`);

/** Starts a transfer, and follows it where that is wanted. */
export async function startTransfer(io: Io, path: string, body: unknown, { watch, dryRun }: StartOptions) {
  if (dryRun) return showDryRun(io, path, body);
  await followed(io, await io.api.call<Summary>('POST', path, { body }), watch);
}

/** Follows what was started to its end, or only tells its id. */
export async function followed(io: Io, started: Answer<Summary>, watch = io.interactive): Promise<void> {
  const { id } = started.body;
  if (watch) showEnded(io, await followTransfer(io, id, `Transfer ${id} has been started.`));
  else io.show(started, () => id);
}

interface FileRequest extends Plan {
  file: GivenFile;
  [member: string]: unknown;
}

/** The same of one that reads a file. Before a local one is sent the start is tried: what is wrong with it shows up before, not after. */
export async function startWithFile(
  io: Io,
  path: string,
  { file, ...rest }: FileRequest,
  options: StartOptions,
): Promise<void> {
  const body = { ...rest, originalFileName: file.name, uploadUrl: await file.address() };
  if (file.with && options.dryRun) {
    const estimate = await examined(file, rest as Plan);
    io.note('The file is not sent: this only tries.');
    return showDryRun(io, path, body, { estimate });
  }
  if (file.with) {
    await tryStart(io, path, body);
    await file.with((local) => uploadShown(io, local, body.uploadUrl));
  }
  await startTransfer(io, path, body, options);
}

/** Throws what a conversion of the local file would end with. */
async function examined(file: GivenFile, plan: Plan): Promise<Estimate | undefined> {
  const { examine } = await import('./local-file.ts');
  try {
    return await file.with?.((local) => examine(local, plan, new AbortController().signal));
  } catch (error) {
    throw new Error(`It would fail: ${(error as Error).message}`, { cause: error });
  }
}
