import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '../../db.ts';
import { AppError, conflict, invalid } from '../../errors.ts';
import type { LazyTransaction } from '../../platform/sql/lazy-transaction.ts';
import type { KeyOwner, StoredAnswer } from './idempotency.queries.ts';
import { findAnswer, storeAnswer } from './idempotency.queries.ts';
import type { Claim, Claims } from './idempotency-claims.ts';
import { openClaims } from './idempotency-claims.ts';
import type { Rule } from './rules.ts';

const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
/** What of an answer's header belongs to the answer; the rest is said anew at each request. */
const KEPT_HEADERS = ['content-type', 'location', 'etag', 'cache-control', 'pragma'];

/** A request that runs under a key. */
interface Running {
  /** All that it writes, and its answer. */
  effect: LazyTransaction;
  owner: KeyOwner;
  claim: Claim;
  requestHash: Buffer;
  secret: boolean;
  ended: boolean;
}

/** A hash of `secret` that is as costly as a password's; hashes of one address take turns with those of others. */
export type Fingerprint = (secret: Buffer, salt: string, address: string) => Promise<Buffer>;

const running = new WeakMap<FastifyRequest, Running>();

/**
 * `Idempotency-Key`: the request claims its key, and whatever the handler writes goes into one transaction that also stores the answer and
 * gives the claim up. So effect and answer are there together or not at all, and the answer leaves when both are. The transaction begins
 * with the handler's first write; what it waits for before holds no connection. No route does anything for it, except that statements must go
 * through the `Database` that the room was given.
 */
export function idempotency(db: Database, fingerprint: Fingerprint): Rule {
  const parts = { db, fingerprint, claims: openClaims(db) };
  return (route) => {
    const { access, service, secretAnswer = false, repeatable = false } = route.config ?? {};
    if (access === 'public' || service === 'none' || repeatable) return {};
    if (![route.method].flat().some((method) => WRITES.has(method))) return {};
    return {
      preHandler(request, reply, done) {
        const key = request.headers['idempotency-key'];
        if (key === undefined) return done();
        enter(parts, request, String(key), secretAnswer).then((entered) => {
          if ('status' in entered) return replay(reply, entered);
          running.set(request, entered);
          db.within(entered.effect, done);
        }, done);
      },
      onSend(request, reply, payload, done) {
        const run = running.get(request);
        if (!run || run.ended) return done(null, payload);
        end(run, reply, payload).then(() => done(null, payload), done);
      },
    };
  };
}

interface Parts {
  db: Database;
  fingerprint: Fingerprint;
  claims: Claims;
}

async function enter(
  { db, fingerprint, claims }: Parts,
  request: FastifyRequest,
  key: string,
  secret: boolean,
): Promise<Running | StoredAnswer> {
  if (key.length < 1 || key.length > 255) throw invalid('Idempotency-Key must have 1 to 255 characters.');
  const owner = { userId: request.caller.userId, key };
  const requestHash = await hashOf(request, owner, fingerprint);
  const claim = await claims.take(owner);
  try {
    // after the claim: who held it before has stored its answer by now
    const stored = await findAnswer(db, owner);
    if (stored) {
      await claim?.giveUp();
      return checked(stored, requestHash);
    }
  } catch (error) {
    await claim?.giveUp();
    throw error;
  }
  if (!claim) throw stillRunning();
  return { effect: db.lazyTransaction(), owner, claim, requestHash, secret, ended: false };
}

const stillRunning = () =>
  conflict('A request with this Idempotency-Key is still running.', { code: 'StillRunning', retryAfter: 1 });

function checked(stored: StoredAnswer, requestHash: Buffer): StoredAnswer {
  if (!stored.requestHash.equals(requestHash)) {
    const sentence = 'This Idempotency-Key was used for another request.';
    throw new AppError('unprocessable', sentence, { code: 'IdempotencyKeyReused' });
  }
  if (stored.body === undefined) {
    const sentence = 'The request was carried out, but its answer held a secret, which is shown only once.';
    throw conflict(sentence, { code: 'ReplayUnavailable' });
  }
  return stored;
}

/** Headers that say what a request is about. */
const SELECTING = ['tenant-id', 'project-id', 'dataset-id'] as const;

/** What of the headers selects what the request does, whatever prefix or name they have. */
function selectionOf(request: FastifyRequest): string {
  const named = SELECTING.flatMap((name) => {
    const value = request.platformHeader(name);
    return value === undefined ? [] : [`${name}: ${value.toLowerCase()}\n`];
  });
  return [...named, ...(request.headers['api-version'] ? [`api-version: ${request.apiVersion}\n`] : [])].join('');
}

/**
 * Over method, path with query, the headers that select something, and the body as it was sent. Where a password is in it the hash is as
 * costly as that of a password, or the kept row would be the easier way to guess it.
 */
async function hashOf(request: FastifyRequest, { userId, key }: KeyOwner, fingerprint: Fingerprint): Promise<Buffer> {
  const body = request.sentBody ?? request.body;
  const hash = createHash('sha256')
    .update(`${request.method} ${request.url}\n${selectionOf(request)}`)
    .update(typeof body === 'string' || Buffer.isBuffer(body) ? body : (JSON.stringify(body) ?? ''))
    .digest();
  return holdsPassword(body) ? fingerprint(hash, `${userId} ${key}`, request.ip) : hash;
}

const holdsPassword = (body: unknown) =>
  typeof body === 'object' && body !== null && Object.keys(body).some((name) => name.toLowerCase() === 'password');

function replay(reply: FastifyReply, { status, headers, body }: StoredAnswer) {
  return reply
    .code(status)
    .headers(headers)
    .header('idempotent-replayed', 'true')
    .serializer((text: string) => text)
    .send(body === '' ? undefined : body);
}

/** Only what succeeded is kept; every other answer undoes whatever its handler did. */
async function end(run: Running, reply: FastifyReply, payload: unknown) {
  run.ended = true;
  const { effect, owner, claim, requestHash, secret } = run;
  try {
    if (reply.statusCode < 200 || reply.statusCode >= 300) {
      await effect.rollBack();
      return await claim.giveUp();
    }
    const answer = {
      requestHash,
      status: reply.statusCode,
      headers: Object.fromEntries(
        KEPT_HEADERS.flatMap((name) => {
          const value = reply.getHeader(name);
          return value === undefined ? [] : [[name, String(value)]];
        }),
      ),
      ...(secret ? {} : { body: textOf(payload) }),
    };
    await effect.transaction(async (tx) => {
      // taken over by another request while this process stood still: the effect must not be there twice
      if (!(await claim.settle(tx)) || !(await storeAnswer(tx, owner, answer))) throw stillRunning();
    });
    await effect.commit();
    claim.settled();
  } catch (error) {
    await effect.rollBack();
    await claim.giveUp();
    throw error;
  }
}

function textOf(payload: unknown): string {
  if (payload === null || payload === undefined) return '';
  if (typeof payload === 'string') return payload;
  if (Buffer.isBuffer(payload)) return payload.toString('utf8');
  throw new Error('An answer that is a stream cannot be kept for a repeated request.');
}

/** For an answer that holds a secret this time, where its route does not say that all do (`secretAnswer`). */
export function answerHoldsSecret(request: FastifyRequest) {
  const run = running.get(request);
  if (run) run.secret = true;
}

/**
 * For an answer that waits for what others do with the effect (`Prefer: wait`): makes the effect visible, keeps `answer` for repeated
 * requests, then runs `wait` outside of the transaction, whose result is sent and not kept. The status must be set before.
 */
export async function afterCommit<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: unknown,
  wait: () => Promise<T>,
): Promise<T> {
  const run = running.get(request);
  if (!run || run.ended) return wait();
  if (!reply.hasHeader('content-type')) reply.type('application/json; charset=utf-8');
  await end(run, reply, reply.serialize(answer as never));
  return wait();
}
