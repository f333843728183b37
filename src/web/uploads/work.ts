import { api, type Converter, type ImportBody, type Inspection } from '../client/api.ts';
import { ApiError, sentenceOf } from '../client/problem.ts';
import { refresh } from '../client/query.ts';
import { randomId } from '../client/random-id.ts';
import { parameterValues } from '../parts/parameter-form.tsx';
import { PlaceGone, putBlocks, putWhole } from './blocks.ts';
import { type Choice, keep } from './kept.ts';
import { firstChoice } from './proposals.ts';
import { isSending, type Upload, uploads } from './state.ts';

/** Of a file that is told before it is sent. */
const START = 2 ** 20;
/** A reader may ask for this much. */
const LONGER_START = 2 ** 23;
const FILES_AT_ONCE = 2;
const INSPECTIONS_AT_ONCE = 2;
const PAUSES_MS = [1000, 2000, 5000, 10_000, 30_000];
const SHOWN_MS = 200;

/** The content of the uploads of this page, and what ends their work. */
export const contents = new Map<string, Blob>();
export const running = new Map<string, AbortController>();
const inspecting = pool(INSPECTIONS_AT_ONCE);
const sending = pool(FILES_AT_ONCE);

export const find = (id: string) => uploads.value.find((one) => one.id === id);

/** Changes an upload on screen, and what is kept of it. */
export async function change(id: string, changes: Partial<Upload>): Promise<void> {
  show(id, changes);
  const upload = find(id);
  if (upload === undefined) return;
  const { state: _, done, before, since, waiting, error, ...kept } = upload;
  await keep(kept);
}

export function show(id: string, changes: Partial<Upload>): void {
  uploads.value = uploads.value.map((one) => (one.id === id ? { ...one, ...changes } : one));
}

const soon = new Map<string, Partial<Upload>>();

/** As `show`, several times a second at most. */
function showSoon(id: string, changes: Partial<Upload>): void {
  if (soon.size === 0)
    setTimeout(() => {
      const all = new Map(soon);
      soon.clear();
      uploads.value = uploads.value.map((one) =>
        all.has(one.id) && isSending(one) ? { ...one, ...all.get(one.id) } : one,
      );
    }, SHOWN_MS);
  soon.set(id, { ...soon.get(id), ...changes });
}

/** One tab at a time works on an upload; browsers have locks on https and on this computer only. */
export async function work(id: string, task: (id: string, signal: AbortSignal) => Promise<void>): Promise<void> {
  const control = new AbortController();
  running.set(id, control);
  try {
    const run = () => task(id, control.signal);
    if (navigator.locks === undefined) await run();
    else await navigator.locks.request(`upload ${id}`, { signal: control.signal }, run);
  } catch (error) {
    if (!control.signal.aborted) show(id, { state: 'failed', waiting: false, error: sentenceOf(error) });
  } finally {
    if (running.get(id) === control) running.delete(id);
  }
}

/** Asks what is in a file, with its start alone if that tells enough. */
export const tell = (id: string, signal: AbortSignal) =>
  inspecting(async () => {
    signal.throwIfAborted();
    if (!find(id)!.sent) return tellStart(id, signal, START);
    const inspection = await inspect(id, signal, undefined);
    await change(id, { inspection, choice: firstChoice(inspection), state: 'ready' });
  });

async function tellStart(id: string, signal: AbortSignal, length: number): Promise<void> {
  const content = contents.get(id)!;
  const whole = content.size <= length;
  await putWhole(await placeOf(id), content.slice(0, length), sendingOf(id, signal));
  if (whole) await change(id, { sent: true });
  const inspection = await inspect(id, signal, whole ? undefined : content.size);
  const more = inspection.needsMore?.to ?? Infinity;
  if (!whole && inspection.writers === undefined && length < LONGER_START) {
    if (content.size <= LONGER_START || more <= LONGER_START) return tellStart(id, signal, LONGER_START);
  }
  await change(id, { inspection, choice: firstChoice(inspection), state: 'ready' });
}

async function inspect(id: string, signal: AbortSignal, size: number | undefined): Promise<Inspection> {
  const { uploadUrl, name, tenantId, choice } = find(id)!;
  const reader = choice === undefined || choice.readerName === 'FileReader' ? undefined : choice;
  const body = {
    uploadUrl: uploadUrl!,
    originalFileName: name,
    ...(size !== undefined && { size }),
    ...(reader && { readerName: reader.readerName, readerParameters: await readerParameters(reader) }),
  };
  const headers = { 'svc-tenant-id': tenantId };
  return patiently(signal, () => api('POST /api/conversion/inspect', { body, headers, signal }));
}

const getReader = (name: string): Promise<Converter> => api('GET /api/conversion/reader/{name}', { params: { name } });
const readerParameters = async ({ readerName, reader }: Choice) =>
  parameterValues((await getReader(readerName)).parameters, reader);

async function placeOf(id: string) {
  const { uploadUrl, tenantId } = find(id)!;
  let url = uploadUrl;
  if (url === undefined) {
    const headers = { 'svc-tenant-id': tenantId };
    url = (await api('GET /api/conversion/transfer/upload-url', { headers })).data;
    await change(id, { uploadUrl: url });
  }
  return { url, renewed: (uploadUrl: string) => void change(id, { uploadUrl }) };
}

const sendingOf = (id: string, signal: AbortSignal) => ({
  signal,
  progress: (done: number, before: number) => showSoon(id, { done, before }),
  waiting: (waiting: boolean) => showSoon(id, { waiting }),
});

export async function send(id: string, signal: AbortSignal): Promise<void> {
  if (!find(id)!.sent)
    await sending(async () => {
      signal.throwIfAborted();
      show(id, { state: 'sending', since: Date.now() });
      await sendBytes(id, signal);
    });
  const { size, inspection, choice } = find(id)!;
  show(id, { done: size, waiting: false, state: 'starting' });
  if (choice === undefined || (choice.writerName !== 'FileWriter' && inspection?.writers === undefined)) {
    const whole = await inspecting(() => inspect(id, signal, undefined));
    // what is made of it is the person's choice
    return change(id, { inspection: whole, choice: firstChoice(whole), wanted: false, state: 'ready' });
  }
  await startTransfer(id, signal);
}

async function sendBytes(id: string, signal: AbortSignal): Promise<void> {
  const content = contents.get(id)!;
  try {
    await putBlocks(await placeOf(id), content, sendingOf(id, signal));
  } catch (error) {
    if (!(error instanceof PlaceGone)) throw error;
    // a place lives a week at most
    await change(id, { uploadUrl: undefined });
    await putBlocks(await placeOf(id), content, sendingOf(id, signal));
  }
  await change(id, { sent: true });
}

async function startTransfer(id: string, signal: AbortSignal): Promise<void> {
  const { tenantId, key } = find(id)!;
  const body = find(id)!.request ?? (await requestOf(find(id)!));
  await change(id, { request: body });
  const headers = { 'svc-tenant-id': tenantId, 'idempotency-key': key };
  try {
    const answer = await patiently(signal, () =>
      api('POST /api/conversion/upload-convert', { body, query: {}, headers, signal }),
    );
    contents.delete(id);
    await change(id, { state: 'started', handles: undefined, ...('id' in answer && { transferId: answer.id }) });
    refresh('transfers');
  } catch (error) {
    // refused: the next start is another request
    if (error instanceof ApiError && error.status >= 400 && error.status < 500)
      await change(id, { request: undefined, key: randomId(), wanted: false });
    throw error;
  }
}

/** Checks a start before it is one, for its price. */
export async function checkStart(upload: Upload) {
  const headers = { 'svc-tenant-id': upload.tenantId };
  return api('POST /api/conversion/upload-convert', {
    body: await requestOf(upload),
    query: { dryRun: true },
    headers,
  });
}

async function requestOf({ projectId, name, uploadUrl, choice }: Upload): Promise<ImportBody> {
  const { readerName, writerName, writer } = choice!;
  const { parameters } = await api('GET /api/conversion/writer/{name}', { params: { name: writerName } });
  return {
    projectId,
    originalFileName: name,
    uploadUrl: uploadUrl!,
    outputDatasetData: { name: name.replace(/(.)\.[^.]*$/, '$1') },
    readerName,
    writerName,
    readerParameters: await readerParameters(choice!),
    writerParameters: parameterValues(parameters, writer),
  };
}

/** Tries again while the server restarts, cannot be reached or has no place free. */
async function patiently<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await ask();
    } catch (error) {
      signal.throwIfAborted();
      const passes = error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);
      if (!passes) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)]));
      signal.throwIfAborted();
    }
  }
}

/** Runs some at once; the others wait for their turn. */
function pool(most: number) {
  let busy = 0;
  const waiting: (() => void)[] = [];
  return async <T>(task: () => Promise<T>): Promise<T> => {
    if (busy >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else busy++;
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) busy--;
      else next();
    }
  };
}
