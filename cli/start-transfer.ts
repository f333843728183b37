import { bytes } from 'hydrofiles/terminal';
import type { Summary } from '../src/transfers/queries.ts';
import type { DryRun } from '../src/transfers/starts/bodies.ts';
import { type Answer, composedAnswer } from './client.ts';
import { WouldFail } from './errors.ts';
import type { Estimate, Plan } from './estimate.ts';
import type { Io } from './io.ts';
import { type InputFile, uploadWithProgress } from './staged-file.ts';
import { followTransfer, showEnded } from './watch.ts';

export interface StartOptions {
  watch?: boolean;
  dryRun?: boolean;
}

const dryRunStart = (io: Io, path: string, body: unknown, headers: Record<string, string> = {}) =>
  io.api.call<DryRun>('POST', path, { body, query: { dryRun: true }, headers });

/**
 * Tells before a start what it costs. Throws if the start would be refused, or the transfer would fail for a parameter.
 */
export async function noteCosts(io: Io, path: string, body: unknown, headers?: Record<string, string>): Promise<void> {
  const { credits, warnings } = (await dryRunStart(io, path, body, headers)).body;
  refuseIncomplete(warnings, body);
  if (credits !== undefined) io.note(costs(credits));
}

/** The API starts transfers without a required parameter, and they fail. Here they are refused before the upload. */
function refuseIncomplete(warnings: readonly string[], body: unknown): void {
  const missing = warnings.find((sentence) => / is required by \w+\.$/.test(sentence));
  // Only a retry has no body.
  const advice = body === undefined ? 'A retry cannot set it. Start a new transfer.' : 'Use --param to set it.';
  if (missing !== undefined) throw new WouldFail(`The transfer would fail: ${missing} ${advice}`);
}

/**
 * Makes a dry run and prints its warnings and estimate. Throws if the start would be refused, or the transfer would
 * fail.
 * @param local estimate for a local file, which is not uploaded
 */
export async function showDryRun(io: Io, path: string, body: unknown, local?: LocalEstimate): Promise<void> {
  const answer = await dryRunStart(io, path, body);
  refuseIncomplete(answer.body.warnings, body);
  if (local === undefined) return io.show(answer, ({ warnings, credits }) => forecast(warnings, undefined, credits));
  const { estimate } = local;
  io.show(
    composedAnswer({ ...answer.body, ...(estimate === undefined ? {} : { estimate }) }),
    ({ warnings, credits }) =>
      forecast(
        warnings.filter((sentence) => !sentence.startsWith('Nothing was uploaded')),
        estimate,
        credits,
      ),
  );
}

interface LocalEstimate {
  estimate: Estimate | undefined;
}

function forecast(warnings: readonly string[], estimate?: Estimate, credits?: number): string {
  const lines = ['It could be started.'];
  if (estimate?.content) lines.push(`Found: ${estimate.content}.`);
  if (estimate !== undefined)
    lines.push(
      `Estimate: about ${duration(estimate.seconds)} of conversion, about ${bytes(Math.round(estimate.bytes))} before compression.`,
    );
  if (credits !== undefined) lines.push(costs(credits));
  return [...lines, ...warnings.map((sentence) => `Warning: ${sentence}`)].join('\n');
}

const costs = (credits: number) =>
  `Costs at most ${credits} credits, which are reserved; the unused ones are released at the end.`;

const duration = (seconds: number) => (seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`);

/** Tells what a transfer costs, starts it, and follows it with `--watch`. */
export async function startTransfer(io: Io, path: string, body: unknown, { watch, dryRun }: StartOptions) {
  if (dryRun) return showDryRun(io, path, body);
  await noteCosts(io, path, body);
  await start(io, path, body, watch);
}

const start = async (io: Io, path: string, body: unknown, watch: boolean | undefined) =>
  followOrPrintId(io, await io.api.call<Summary>('POST', path, { body }), watch);

/** Follows a started transfer to its end, or prints its id. */
export async function followOrPrintId(io: Io, started: Answer<Summary>, watch = io.interactive): Promise<void> {
  const { id } = started.body;
  if (watch) showEnded(io, await followTransfer(io, id, `Transfer ${id} has been started.`));
  else io.show(started, () => id);
}

/** A start that reads a file: its body but for `uploadUrl` and `originalFileName`. */
export interface FileRequest extends Plan {
  file: InputFile;
  [member: string]: unknown;
}

/**
 * Starts a transfer that reads a file. Makes a dry run before it uploads a local file, so that mistakes show before the
 * upload.
 */
export async function startWithFile(
  io: Io,
  path: string,
  { file, ...rest }: FileRequest,
  options: StartOptions,
): Promise<void> {
  const body = { ...rest, originalFileName: file.name, uploadUrl: await file.address() };
  if (file.with && options.dryRun) {
    const estimate = await estimateFor(file, rest as Plan);
    io.note('Dry run: the file is not uploaded.');
    return showDryRun(io, path, body, { estimate });
  }
  if (options.dryRun) return showDryRun(io, path, body);
  await followOrPrintId(io, await sendFile(io, path, file, body), options.watch);
}

interface Sent {
  uploadUrl: string;
  [member: string]: unknown;
}

/** Uploads the file of a request, if it is local, and starts the transfer. */
export async function startFromFile(io: Io, path: string, { file, ...rest }: FileRequest): Promise<Answer<Summary>> {
  return sendFile(io, path, file, { ...rest, originalFileName: file.name, uploadUrl: await file.address() });
}

async function sendFile(io: Io, path: string, file: InputFile, body: Sent): Promise<Answer<Summary>> {
  await noteCosts(io, path, body);
  await file.with?.((local) => uploadWithProgress(io, local, body.uploadUrl));
  return io.api.call<Summary>('POST', path, { body });
}

/** Estimates the conversion of a local file. Throws if it would fail. */
async function estimateFor(file: InputFile, plan: Plan): Promise<Estimate | undefined> {
  const { estimateConversion } = await import('./estimate.ts');
  try {
    return await file.with?.((local) => estimateConversion(local, plan, new AbortController().signal));
  } catch (error) {
    throw new Error(`The transfer would fail: ${(error as Error).message}`, { cause: error });
  }
}
