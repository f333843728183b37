import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Source } from '../../world/source.ts';
import type { Choices } from '../flags.ts';
import type { Answer, Client } from './client.ts';
import { type AcceptedSubmission, prepareKinds } from './kinds.ts';
import type { Platform } from './platform.ts';

/** Requests that are sent to the platform while it is disturbed. */
export interface Work {
  readonly acknowledged: AcceptedSubmission[];
  /** Submits that were refused, because another transfer writes the dataset. */
  readonly refused: number;
  /** Goes on submitting until `stop`, with about `open` transfers under way at each moment. */
  begin(open: number): void;
  stop(): Promise<void>;
}

const SUBMITTERS = 3;
const CANCELLED = 0.15;
const RETRIED = 0.8;

/** @param source where remote files are served */
export async function prepareWork(platform: Platform, client: Client, choose: Choices, source: Source): Promise<Work> {
  const { kinds, acknowledged } = await prepareKinds(platform, client, choose, source);
  let refused = 0;

  async function submit() {
    const { path, body, headers, ...wanted } = await choose.of(kinds)();
    const wish = choose.share();
    const answer = await client.post(path, body, randomUUID(), headers);
    if (answer.status !== 200) return refuse(answer);
    const entry: AcceptedSubmission = { id: answer.body.id, ...wanted };
    acknowledged.push(entry);
    if (wish < CANCELLED) await cancel(entry, choose.between(0, 1500));
  }
  async function cancel(entry: AcceptedSubmission, after: number) {
    await sleep(after);
    const { status } = await client.post(`/api/conversion/transfer/${entry.id}/cancel`, {}, randomUUID());
    entry.cancelled = status === 202;
  }
  function refuse({ status, body }: Answer) {
    if (status !== 409 || body.code !== 'DatasetLocked')
      throw new Error(`A submit was refused: ${status} ${JSON.stringify(body)}`);
    refused++;
  }
  /** Retries most failed transfers, as a user would. */
  const retried = new Set<string>();
  async function retryFailed(failed: readonly string[]) {
    for (const id of failed) {
      const entry = acknowledged.find((each) => each.id === id);
      if (entry === undefined || retried.has(id)) continue;
      retried.add(id);
      if (choose.share() > RETRIED) continue;
      const answer = await client.post(`/api/conversion/transfer/${id}/retry`, {}, randomUUID());
      const { cancelled: _, ...wanted } = entry;
      if (answer.status === 202) acknowledged.push({ ...wanted, id: answer.body.id, kind: 'retry' });
      else refuse(answer);
    }
  }

  let going = false;
  let ended: Promise<unknown> = Promise.resolve();
  return {
    acknowledged,
    get refused() {
      return refused;
    },
    begin(most) {
      going = true;
      let open = 0;
      const look = async () => {
        while (going) {
          const counts = await platform.sql<{ open: number; failed: string[] | null }>(
            `select count(*) filter (where finished_at is null)::int as open, array_agg(id) filter (where status = 'Error') as failed
             from transfers`,
          );
          open = counts[0]?.open ?? 0;
          await retryFailed(counts[0]?.failed ?? []);
          await sleep(200);
        }
      };
      const send = async () => {
        while (going) {
          if (open >= most) {
            await sleep(100);
            continue;
          }
          open++;
          await submit();
        }
      };
      ended = Promise.all([look(), ...Array.from({ length: SUBMITTERS }, send)]);
      ended.catch(() => {});
    },
    async stop() {
      going = false;
      await ended;
    },
  };
}
