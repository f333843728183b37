import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Database, Db, Followed } from '../db.ts';
import { AppError, conflict, invalid } from '../errors.ts';
import type { KeyOwner, StoredAnswer } from './idempotency.queries.ts';
import { findAnswer, storeAnswer, tryLockKey } from './idempotency.queries.ts';
import type { Rule } from './rules.ts';

const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
/** What of an answer's header belongs to the answer; the rest is said anew at each request. */
const KEPT_HEADERS = ['content-type', 'location', 'etag', 'cache-control', 'pragma'];

/** A request that runs inside the transaction of its key. */
interface Running {
  followed: Followed;
  tx: Db;
  owner: KeyOwner;
  requestHash: Buffer;
  secret: boolean;
  ended: boolean;
  commit(): Promise<void>;
  rollBack(): Promise<void>;
}

/** A hash of `secret` that is as costly as a password's; hashes of one address take turns with those of others. */
export type Fingerprint = (secret: Buffer, salt: string, address: string) => Promise<Buffer>;

const running = new WeakMap<FastifyRequest, Running>();

/**
 * `Idempotency-Key`: the handler runs inside a transaction that also stores its answer, so effect and key are there together or not at
 * all, and the answer leaves when both are. No route does anything for it, except that statements must go through the `Database` that
 * the room was given.
 */
export const idempotency =
  (db: Database, fingerprint: Fingerprint): Rule =>
  (route) => {
    const { access, service, secretAnswer = false, repeatable = false } = route.config ?? {};
    if (access === 'public' || service === 'none' || repeatable) return {};
    if (![route.method].flat().some((method) => WRITES.has(method))) return {};
    return {
      preHandler(request, reply, done) {
        const key = request.headers['idempotency-key'];
        if (key === undefined) return done();
        enter({ db, fingerprint }, request, String(key), secretAnswer).then((entered) => {
          if ('status' in entered) return replay(reply, entered);
          running.set(request, entered);
          db.within(entered.followed, done);
        }, done);
      },
      onSend(request, reply, payload, done) {
        const run = running.get(request);
        if (!run || run.ended) return done(null, payload);
        end(run, reply, payload).then(() => done(null, payload), done);
      },
    };
  };

interface Parts {
  db: Database;
  fingerprint: Fingerprint;
}

async function enter({ db, fingerprint }: Parts, request: FastifyRequest, key: string, secret: boolean) {
  if (key.length < 1 || key.length > 255) throw invalid('Idempotency-Key must have 1 to 255 characters.');
  const owner = { userId: request.caller.userId, key };
  const requestHash = await hashOf(request, owner, fingerprint);
  const entered = Promise.withResolvers<Db | StoredAnswer>();
  const outcome = Promise.withResolvers<void>();
  const ended = db.transaction(async (tx) => {
    if (!(await tryLockKey(tx, owner)))
      throw conflict('A request with this Idempotency-Key is still running.', { code: 'StillRunning', retryAfter: 1 });
    const stored = await findAnswer(tx, owner);
    entered.resolve(stored ?? tx);
    if (!stored) await outcome.promise;
  });
  ended.catch(entered.reject);
  outcome.promise.catch(() => {});
  const found = await entered.promise;
  if ('status' in found) {
    await ended;
    return checked(found, requestHash);
  }
  return {
    followed: { tx: found },
    tx: found,
    owner,
    requestHash,
    secret,
    ended: false,
    async commit() {
      outcome.resolve();
      await ended;
    },
    async rollBack() {
      outcome.reject(new Error('rolled back'));
      await ended.catch(() => {});
    },
  };
}

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

/**
 * Over method, path with query, and body as it was sent. Where a password is in it the hash is as costly as that of a password, or the
 * kept row would be the easier way to guess it.
 */
async function hashOf(request: FastifyRequest, { userId, key }: KeyOwner, fingerprint: Fingerprint): Promise<Buffer> {
  const body = request.sentBody ?? request.body;
  const hash = createHash('sha256')
    .update(`${request.method} ${request.url}\n`)
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
  // what the handler left behind, such as a timer, must not speak to a transaction that is over
  run.followed.tx = undefined;
  if (reply.statusCode < 200 || reply.statusCode >= 300) return run.rollBack();
  try {
    await storeAnswer(run.tx, run.owner, {
      requestHash: run.requestHash,
      status: reply.statusCode,
      headers: Object.fromEntries(
        KEPT_HEADERS.flatMap((name) => {
          const value = reply.getHeader(name);
          return value === undefined ? [] : [[name, String(value)]];
        }),
      ),
      ...(run.secret ? {} : { body: textOf(payload) }),
    });
  } catch (error) {
    await run.rollBack();
    throw error;
  }
  await run.commit();
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
