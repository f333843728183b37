import { setTimeout as sleep } from 'node:timers/promises';
import { DEAD_MS, Lease } from './lease.ts';
import { newId, type Target } from './target.ts';

// A backup relies on blobs that the target has already, and a prune deletes blobs that no backup names. Each first
// writes a file that the other one looks for: the manifest of an unfinished backup, and the mark of a prune. So at
// least one of them sees the other.

const MARK = /^backup\/\d{8}T\d{6}Z-[0-9a-f]{6}\.prune$/;
const ASK_AGAIN_MS = 2000;

export interface PruneMark extends AsyncDisposable {
  lease: Lease;
  /** By the clock of the target. */
  now: Date;
}

/** Marks the target, until it is disposed of, as one whose blobs are being deleted. */
export async function markPrune({ store }: Target): Promise<PruneMark> {
  const name = `backup/${newId(new Date().toISOString())}.prune`;
  const lease = await Lease.begin(() => store.put(name, [Buffer.from('prune\n')] as never, Number.POSITIVE_INFINITY));
  const now = (await store.info(name))?.lastModified ?? new Date();
  for await (const { name: other, lastModified } of store.list('backup/'))
    if (MARK.test(other) && isDead(lastModified, now)) await store.remove(other);
  return {
    lease,
    now,
    async [Symbol.asyncDispose]() {
      await lease.end();
      await store.remove(name);
    },
  };
}

/** Whether the process that wrote a file is taken for dead. */
export const isDead = (lastModified: Date, now: Date) => now.getTime() - lastModified.getTime() > DEAD_MS;

/**
 * Waits until no prune deletes blobs of the target.
 * @param own name of a file that was just written: its time is that of the target's clock
 */
export async function untilNoPrune({ store }: Target, own: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const now = (await store.info(own))?.lastModified ?? new Date();
    let isPruned = false;
    for await (const { name, lastModified } of store.list('backup/'))
      isPruned ||= MARK.test(name) && !isDead(lastModified, now);
    if (!isPruned) return;
    await sleep(ASK_AGAIN_MS, undefined, { signal });
  }
}
