import { createHmac } from 'node:crypto';
import { PASSWORD, type World } from '../world.ts';
import { clock } from './clock.ts';

/** Decodes base32 without padding to ASCII. */
export function setupCodeFrom(manualEntryCode: string): string {
  const bits = [...manualEntryCode].map((one) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(one).toString(2).padStart(5, '0'),
  );
  return (bits.join('').match(/.{8}/g) ?? []).map((byte) => String.fromCharCode(Number.parseInt(byte, 2))).join('');
}

/** A one-time password (RFC 6238), implemented independently of the product, `steps` time steps from now. */
export function codeOf(setupCode: string, { steps = 0 } = {}): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(clock() / 30_000) + steps));
  const digest = createHmac('sha1', Buffer.from(setupCode, 'ascii')).update(counter).digest();
  const number = digest.readUInt32BE((digest.at(-1) ?? 0) & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
}

/** Six digits that are not valid now. */
export function wrongCodeOf(setupCode: string): string {
  const right = new Set([-2, -1, 0, 1, 2].map((steps) => codeOf(setupCode, { steps })));
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !right.has(code)) ?? '';
}

export interface Attempt {
  id: string;
  password?: string;
  otp?: string | null;
  otpAuthenticator?: string;
  /** Client address. */
  from?: string;
}

/** Logs in, or calls another route that takes credentials. */
export const attempt = (w: World, { from = '127.0.0.1', ...body }: Attempt, url = '/api/tokens') =>
  w.nobody.send({
    method: 'POST',
    url,
    remoteAddress: from,
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify({ password: PASSWORD, ...body }),
  });

let groups = 0;
/** Creates a group with these second-factor entries and the user as its member. */
export async function groupOf(w: World, id: string, entries: unknown[], key = '2FAMetadata') {
  const name = `factor-${++groups}-${id}`;
  const answer = await w
    .as(await w.administrator())
    .post('/api/usergroups', { name, users: [id], metadata: { [key]: entries } });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return name;
}
