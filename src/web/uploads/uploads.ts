import { effect } from '@preact/signals';
import { api } from '../client/api.ts';
import { sentenceOf } from '../client/problem.ts';
import { randomId } from '../client/random-id.ts';
import { account, session, tenant } from '../client/session.ts';
import { endsOf } from './blocks.ts';
import type { Picked } from './files.ts';
import { type Choice, forget, type KeptUpload, keep, listKept } from './kept.ts';
import { AS_IT_IS } from './proposals.ts';
import { KEPT, type Upload, uploads } from './state.ts';
import { change, contents, find, running, send, show, tell, work } from './work.ts';
import { zipOf } from './zip.ts';

const KEPT_MS = 86_400_000;

const toUpload = (kept: KeptUpload, state: Upload['state']): Upload => ({
  ...kept,
  state,
  done: kept.sent ? kept.size : 0,
  before: 0,
  since: 0,
  waiting: false,
});

/** Nothing goes on for somebody who has signed out; what is kept waits for the next sign-in. */
effect(() => {
  if (session.value !== 'out') return;
  for (const control of running.values()) control.abort();
  contents.clear();
  uploads.value = [];
});

/** Takes up files for a project; those of an upload that was interrupted go on with it. */
export async function addFiles(picked: readonly Picked[], projectId: string): Promise<void> {
  localStorage.setItem(KEPT, 'yes');
  for (const one of picked) {
    try {
      await addOne(one, projectId);
    } catch (error) {
      const failed = newUpload(one, projectId, 0, '');
      uploads.value = [...uploads.value, { ...toUpload(failed, 'failed'), error: sentenceOf(error) }];
    }
  }
}

function newUpload({ name, files, handles }: Picked, projectId: string, size: number, ends: string): KeptUpload {
  return {
    id: randomId(),
    userId: account.value!.userId,
    tenantId: tenant.value!.id,
    projectId,
    addedAt: Date.now(),
    name,
    size,
    parts: files.map(({ name, size, lastModified }) => ({ name, size, lastModified })),
    ends,
    handles,
    key: randomId(),
  };
}

async function addOne(picked: Picked, projectId: string): Promise<void> {
  const { name, files } = picked;
  const content = await contentOf(files);
  if (content.size === 0) throw new Error('The file is empty.');
  const ends = await endsOf(content);
  const same = uploads.value.find(
    (one) => one.state === 'needsFile' && one.name === name && one.ends === ends && sameParts(one.parts, files),
  );
  if (same !== undefined) {
    contents.set(same.id, content);
    await change(same.id, { handles: picked.handles, ...(same.inspection === undefined && { state: 'reading' }) });
    return goOn(same.id);
  }
  const kept = newUpload(picked, projectId, content.size, ends);
  contents.set(kept.id, content);
  uploads.value = [...uploads.value, toUpload(kept, 'reading')];
  await keep(kept);
  void work(kept.id, tell);
}

const contentOf = async (files: readonly File[]): Promise<Blob> => (files.length === 1 ? files[0]! : zipOf(files));

const sameParts = (parts: KeptUpload['parts'], files: readonly File[]) =>
  parts.length === files.length &&
  parts.every((part, index) => {
    const { name, size, lastModified } = files[index]!;
    return part.name === name && part.size === size && part.lastModified === lastModified;
  });

/** Goes on with what this browser keeps of earlier pages. Call it once, when somebody has signed in. */
export async function resumeUploads(): Promise<void> {
  const known = new Set(uploads.value.map(({ id }) => id));
  const kept = await listKept();
  const oldest = Date.now() - KEPT_MS;
  for (const { id, transferId, addedAt } of kept) if (transferId !== undefined && addedAt < oldest) await forget(id);
  // those that another tab works on are shown there
  const locks = await navigator.locks?.query();
  const elsewhere = new Set(locks?.held?.map(({ name }) => name));
  const mine = kept.filter(
    ({ id, userId, transferId, addedAt }) =>
      userId === account.value?.userId &&
      !known.has(id) &&
      !elsewhere.has(`upload ${id}`) &&
      (transferId === undefined || addedAt >= oldest),
  );
  if (kept.length === 0) localStorage.removeItem(KEPT);
  const order = mine.toSorted((one, other) => one.addedAt - other.addedAt);
  uploads.value = [...order.map((one) => toUpload(one, stateAfterReload(one))), ...uploads.value];
  for (const one of order) {
    if (one.transferId !== undefined) continue;
    if (one.sent) goOn(one.id);
    else if (one.handles !== undefined && (await mayRead(one.handles, false))) await readAgain(one.id);
  }
}

const stateAfterReload = ({ transferId, sent }: KeptUpload): Upload['state'] =>
  transferId !== undefined ? 'started' : sent ? 'ready' : 'needsFile';

type Permitted = FileSystemFileHandle & Record<'queryPermission' | 'requestPermission', () => Promise<PermissionState>>;

async function mayRead(handles: readonly FileSystemFileHandle[], asks: boolean): Promise<boolean> {
  for (const handle of handles as readonly Permitted[])
    if ((await (asks ? handle.requestPermission() : handle.queryPermission())) !== 'granted') return false;
  return true;
}

/** Reads the files of an interrupted upload again. Call it after a click: the browser asks for permission. */
export async function continueUpload(id: string): Promise<void> {
  const { handles } = find(id)!;
  if (handles !== undefined && (await mayRead(handles, true))) await readAgain(id);
}

async function readAgain(id: string): Promise<void> {
  const { handles, ends, parts } = find(id)!;
  try {
    const files = await Promise.all(handles!.map((handle) => handle.getFile()));
    const content = await contentOf(files);
    if (!sameParts(parts, files) || (await endsOf(content)) !== ends)
      throw new Error('The file has changed since. Choose it again to begin anew.');
    contents.set(id, content);
    goOn(id);
  } catch (error) {
    show(id, { state: 'needsFile', error: sentenceOf(error) });
  }
}

/** What comes next for an upload whose file or bytes are there. */
function goOn(id: string): void {
  const { inspection, wanted, choice } = find(id)!;
  if (wanted) startUpload(id);
  else if (inspection === undefined && choice === undefined) void work(id, tell);
  else show(id, { state: 'ready', error: undefined });
}

export const choose = (id: string, choice: Choice): Promise<void> => change(id, { choice, request: undefined });

/** Keeps the file as it is, whatever its content. */
export async function keepAsFile(id: string): Promise<void> {
  await change(id, { choice: AS_IT_IS, error: undefined, state: 'ready', request: undefined });
}

/** Sends the bytes, and starts the import. */
export function startUpload(id: string): void {
  const { sent, state } = find(id)!;
  if (state === 'queued' || state === 'sending' || state === 'starting') return;
  const hasBytes = sent || contents.has(id);
  show(id, { state: hasBytes ? 'queued' : 'needsFile', error: undefined });
  if (!hasBytes) return;
  void change(id, { wanted: true });
  void work(id, send);
}

export function pauseUpload(id: string): void {
  running.get(id)?.abort();
  void change(id, { state: 'ready', wanted: false, waiting: false });
}

/** Tries again what failed: the sending, the start, or a conversion that has failed. */
export async function retryUpload(id: string): Promise<void> {
  const { state, transferId } = find(id)!;
  if (state === 'started' && transferId !== undefined) {
    const answer = await api('POST /api/conversion/transfer/{id}/retry', { params: { id: transferId }, query: {} });
    if ('id' in answer) await change(id, { transferId: answer.id });
    return;
  }
  const { inspection, choice } = find(id)!;
  if (inspection === undefined && choice === undefined && contents.has(id)) {
    show(id, { state: 'reading', error: undefined });
    void work(id, tell);
  } else startUpload(id);
}

/** Stops an upload and forgets it. */
export async function removeUpload(id: string): Promise<void> {
  running.get(id)?.abort();
  contents.delete(id);
  uploads.value = uploads.value.filter((one) => one.id !== id);
  await forget(id);
}

export async function removeFinished(): Promise<void> {
  for (const { id, state } of uploads.value) if (state === 'started') await removeUpload(id);
}
