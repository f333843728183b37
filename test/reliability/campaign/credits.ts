import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Choices } from '../flags.ts';
import type { Client } from './client.ts';
import { expect } from './kinds.ts';
import type { Platform } from './platform.ts';

/** Some transfers cost credits, others nothing. */
export const PRICES = 'AsciiGridReader=1,GeoTiffWriter=2.5,memoryGbHour=3';

/** Acknowledged amounts of an operation, in millionths. */
export interface AcceptedCredits {
  operation: string;
  tenant: string;
  reserved: number;
  spent: number;
  released: number;
}

const USERS = 2;
const LOTS = 3;
const PAUSE_MS = 100;
const MICRO = 1e6;

/** Gives both tenants more credits than the campaign needs, in lots that operations use up one after another. */
export async function addCredits({ sql, tenantIds }: Platform): Promise<void> {
  for (const [n, credits] of [40, 400, 1e7].entries()) {
    const expires = `${2100 + ((n + 1) % LOTS)}-01-01`;
    await sql(
      `select credit_add(id, $1::numeric, $2::text::timestamptz, $2::text, 'S', 'R', 'EXT', '', null, null, false) from unnest($3::uuid[]) id`,
      [credits, expires, tenantIds],
    );
  }
}

/**
 * Reservations beside the transfers that are partly spent, and mostly released. Ends when all of them are acknowledged.
 */
export function useCredits(
  { tenantIds }: Platform,
  client: Client,
  choose: Choices,
): { acknowledged: AcceptedCredits[]; stop(): Promise<void> } {
  const acknowledged: AcceptedCredits[] = [];
  let going = true;

  async function operate() {
    const tenantId = choose.of(tenantIds);
    const operationId = `operation ${randomUUID()}`;
    const [reserved, part, isReleased] = [
      Math.ceil(choose.between(1, 60 * MICRO)),
      choose.share(),
      choose.share() < 0.8,
    ];
    const call = async (verb: string, body: object) =>
      expect(await client.putJson(`/api/iam/credit/${verb}`, { tenantId, operationId, ...body }, randomUUID()), 200)
        .credits;
    const entry = { operation: operationId, tenant: tenantId, reserved: 0, spent: 0, released: 0 };
    acknowledged.push(entry);
    entry.reserved = micro(await call('reserve', { credits: reserved / MICRO }));
    const spent = Math.floor(reserved * part);
    if (spent > 0) entry.spent = micro(await call('spend', { credits: spent / MICRO }));
    if (isReleased && spent < reserved) entry.released = micro(await call('release', {}));
  }
  const use = async () => {
    for (; going; await sleep(PAUSE_MS)) await operate();
  };
  const ended = Promise.all(Array.from({ length: USERS }, use));
  ended.catch(() => {});
  return {
    acknowledged,
    async stop() {
      going = false;
      await ended;
    },
  };
}

const micro = (credits: number) => Math.round(credits * MICRO);
