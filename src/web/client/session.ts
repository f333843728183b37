import { signal } from '@preact/signals';
import { shared, to } from './address.ts';
import type { AccessToken, Account, MyTenant, OtpRequired, StartSessionBody } from './api-types.ts';
import { ApiError, toApiError } from './problem.ts';
import { randomId } from './random-id.ts';

/** Whether somebody is signed in; `unknown` until the cookie was tried. */
export const session = signal<'unknown' | 'in' | 'out'>('unknown');
export const account = signal<Account | undefined>(undefined);
export const tenants = signal<MyTenant[]>([]);
/** Of lists and of what is created. */
export const tenant = signal<MyTenant | undefined>(undefined);
/** Login id of somebody else who has signed in in another tab: the session of this browser is theirs. */
export const otherAccount = signal<string | undefined>(undefined);
/** Set while the password is asked for over the page, because the session has ended in mid-work. */
export const passwordAsked = signal<{ done: (signedIn: boolean) => void } | undefined>(undefined);

interface Token {
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
  readonly userId: string;
  readonly loginId: string;
}

type Message = { type: 'token'; token: Token } | { type: 'out' };

/** A token that ends within this time is renewed before it is used. */
const ALMOST_OVER_MS = 20_000;
const TENANT = shared('tenant');
const RENEWAL = shared('renewal');

/** In the memory of this tab and of the others: a store of the browser would show it to every script later. */
let token: Token | undefined;
const tabs = new BroadcastChannel(shared('session'));

tabs.onmessage = ({ data }: MessageEvent<Message>) => {
  if (data.type === 'out') forget();
  else if (take(data.token)) {
    if (session.value === 'out') void enter();
    passwordAsked.value?.done(true);
  } else if (passwordAsked.value === undefined) void askPassword();
};

/** Takes up the session of the cookie, if there is one. Call it once. */
export async function resume(): Promise<void> {
  if (await renew(undefined)) await enter();
  else session.value = 'out';
}

/** @returns what is missing for a login; undefined after it */
export async function signIn(credentials: StartSessionBody): Promise<OtpRequired | undefined> {
  const answer = await ask('POST', credentials);
  if (!answer.ok) throw await toApiError(answer);
  const body = (await answer.json()) as AccessToken | OtpRequired;
  if (!('accessToken' in body)) return body;
  keep(body);
  await enter();
  return undefined;
}

export async function signOut(): Promise<void> {
  await ask('DELETE');
  tabs.postMessage({ type: 'out' } satisfies Message);
  forget();
}

/** The present access token, renewed if it is about to end; undefined without a session. */
export async function accessToken(): Promise<string | undefined> {
  if (token !== undefined && token.expires - Date.now() < ALMOST_OVER_MS) await renew(token.text);
  return token?.text;
}

/**
 * Renews the session, once for all tabs.
 * @param used the access token that was refused; if another tab has renewed it since, nothing is asked
 */
export function renew(used: string | undefined): Promise<boolean> {
  return alone(async () => {
    if (token !== undefined && token.text !== used) return true;
    // a page that is left before the answer loses the new cookie: the next renewal asks for the same answer
    const key = localStorage.getItem(RENEWAL) ?? randomId();
    localStorage.setItem(RENEWAL, key);
    const answer = await ask('PUT', undefined, { 'idempotency-key': key });
    localStorage.removeItem(RENEWAL);
    if (answer.ok) return keep((await answer.json()) as AccessToken);
    if (answer.status !== 401) throw await toApiError(answer);
    // somebody may have signed in meanwhile
    if (token !== undefined && token.text !== used) return true;
    token = undefined;
    return false;
  });
}

/** Asks for the password over the page. @returns whether somebody signed in again */
export function askPassword(): Promise<boolean> {
  const before = passwordAsked.value;
  return new Promise((resolve) => {
    passwordAsked.value = {
      done(signedIn) {
        passwordAsked.value = undefined;
        before?.done(signedIn);
        resolve(signedIn);
      },
    };
  });
}

export function chooseTenant(id: string): void {
  tenant.value = tenants.value.find((one) => one.id === id) ?? tenants.value[0];
  localStorage.setItem(TENANT, id);
}

/** Reads again who is signed in, after a change of the account. */
export async function enter(): Promise<void> {
  const [me, mine] = await Promise.all([read<Account>('/api/accounts/me'), read<MyTenants>('/api/iam/tenant/my')]);
  tenants.value = mine.data;
  tenant.value = mine.data.find(({ id }) => id === (localStorage.getItem(TENANT) ?? me.tenantId)) ?? mine.data[0];
  account.value = me;
  session.value = 'in';
}

interface MyTenants {
  data: MyTenant[];
}

/** @returns whether it is of the account of this tab */
function keep({ accessToken: { token: text, expiration } }: AccessToken): boolean {
  const payload = atob(text.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(payload, (one) => one.charCodeAt(0));
  const claims = JSON.parse(new TextDecoder().decode(bytes)) as Claims;
  const expires = Date.parse(/Z|[+-]\d\d:\d\d$/.test(expiration) ? expiration : `${expiration}Z`);
  const next = { text, expires, userId: claims.user_id, loginId: claims.sub };
  const own = take(next);
  if (own) tabs.postMessage({ type: 'token', token: next } satisfies Message);
  return own;
}

interface Claims {
  readonly sub: string;
  readonly user_id: string;
}

/** Takes a token over; not one of somebody else, as whom this page would write what its reader has typed. */
function take(next: Token): boolean {
  const own = account.value === undefined || account.value.userId === next.userId;
  token = own ? next : undefined;
  otherAccount.value = own ? undefined : next.loginId;
  return own;
}

function forget(): void {
  token = undefined;
  otherAccount.value = undefined;
  account.value = undefined;
  tenants.value = [];
  tenant.value = undefined;
  session.value = 'out';
  passwordAsked.value?.done(false);
}

async function read<T>(path: string): Promise<T> {
  const answer = await fetch(to(path), { headers: { authorization: `Bearer ${token?.text}` }, credentials: 'omit' });
  if (!answer.ok) throw await toApiError(answer);
  return (await answer.json()) as T;
}

async function ask(
  method: 'POST' | 'PUT' | 'DELETE',
  body?: unknown,
  more: Record<string, string> = {},
): Promise<Response> {
  const headers: Record<string, string> = { 'svc-session': '1', ...more };
  if (body !== undefined) headers['content-type'] = 'application/json';
  try {
    return await fetch(to('/api/tokens/session'), {
      method,
      headers,
      credentials: 'same-origin',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch {
    throw new ApiError(0, { code: 'Offline', detail: 'The server cannot be reached. Check the network.' });
  }
}

/** One tab at a time; browsers have locks on https and on this computer only. */
const alone = <T>(work: () => Promise<T>): Promise<T> =>
  navigator.locks === undefined ? inTurn(work) : navigator.locks.request(shared('session'), work);

let last: Promise<unknown> = Promise.resolve();
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const next = last.then(work, work);
  last = next.catch(() => {});
  return next;
}
