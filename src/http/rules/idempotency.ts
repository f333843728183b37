import { createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Database, LazyTransaction } from '../../db.ts';
import { AppError, conflict, invalid } from '../../errors.ts';

import { findAnswer, type KeyOwner, type StoredAnswer, storeAnswer } from './idempotency.queries.ts';
import { type Claim, Claims } from './idempotency-claims.ts';
import type { Rule } from './rules.ts';

const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
/** Stored header fields; all others are set again for each request. */
const STORED_HEADERS = ['content-type', 'location', 'etag', 'cache-control', 'pragma'];

/** A request with an Idempotency-Key. */
interface Run {
  /** Contains all writes of the handler, and the answer. */
  transaction: LazyTransaction;
  owner: KeyOwner;
  claim: Claim;
  /** Throws unless a streamed body was read whole. */
  requestHash: () => Buffer;
  secret: boolean;
  ended: boolean;
}

/** A hash of `secret` that is as expensive as a password hash (`Passwords.fingerprint`). */
export type Fingerprint = (secret: Buffer, salt: string, address: string) => Promise<Buffer>;

const runs = new WeakMap<FastifyRequest, Run>();

/**
 * `Idempotency-Key`: the request claims its key, and all writes of the handler go into one transaction that also stores
 * the answer, for 24 hours, and releases the claim. Writes and answer are committed together, before the answer is
 * sent. The transaction begins with the handler's first write, so that waiting before it holds no connection. Routes
 * need no code for this, but must use the `Database` of the app.
 */
export function idempotency(db: Database, fingerprint: Fingerprint): Rule {
  const parts = { db, fingerprint, claims: new Claims(db) };
  return (route) => {
    const { access, service, secretAnswer = false, repeatable = false } = route.config ?? {};
    if (access === 'public' || service === 'none' || repeatable) return {};
    if (![route.method].flat().some((method) => WRITES.has(method))) return {};
    return {
      preHandler(request, reply, done) {
        const key = request.headers['idempotency-key'];
        if (key === undefined) return done();
        begin(parts, request, String(key), secretAnswer).then((begun) => {
          if ('status' in begun) return replay(reply, begun);
          runs.set(request, begun);
          db.within(begun.transaction, done);
        }, done);
      },
      onSend(request, reply, payload, done) {
        const run = runs.get(request);
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

/** Claims the key, or returns the stored answer. */
async function begin(
  { db, fingerprint, claims }: Parts,
  request: FastifyRequest,
  key: string,
  secret: boolean,
): Promise<Run | StoredAnswer> {
  if (key.length < 1 || key.length > 255) throw invalid('Idempotency-Key must have 1 to 255 characters.');
  const owner = { userId: request.caller.userId, key };
  const streamed = streamedBody(request);
  const whole = streamed ? undefined : await hashRequest(request, owner, fingerprint);
  const claim = await claims.take(owner);
  try {
    // after the claim, because the previous holder has stored its answer before releasing the claim
    const stored = await findAnswer(db, owner);
    if (stored) {
      await claim?.release();
      return checked(stored, whole ?? (await hashOfStream(request, streamed)));
    }
  } catch (error) {
    await claim?.release();
    throw error;
  }
  if (!claim) throw stillRunning();
  const requestHash = whole ? () => whole : hashWhileRead(request, streamed);
  return { transaction: db.lazyTransaction(), owner, claim, requestHash, secret, ended: false };
}

const stillRunning = () =>
  conflict('A request with this Idempotency-Key is still running. Try again later.', {
    code: 'StillRunning',
    retryAfter: 1,
  });

function checked(stored: StoredAnswer, requestHash: Buffer): StoredAnswer {
  if (!stored.requestHash.equals(requestHash)) {
    const sentence = 'This Idempotency-Key was used for another request. Use a new one.';
    throw new AppError('unprocessable', sentence, { code: 'IdempotencyKeyReused' });
  }
  if (stored.body === undefined) {
    const sentence = 'The request was executed, but its answer contained a secret, which is sent only once.';
    throw conflict(sentence, { code: 'ReplayUnavailable' });
  }
  return stored;
}

const OBJECT_HEADERS = ['tenant-id', 'project-id', 'dataset-id'] as const;

/** Headers that change the effect of a request, under canonical names. */
function significantHeaders(request: FastifyRequest): string {
  const objects = OBJECT_HEADERS.flatMap((name) => {
    const value = request.platformHeader(name);
    return value === undefined ? [] : [`${name}: ${value.toLowerCase()}\n`];
  });
  return [...objects, ...(request.headers['api-version'] ? [`api-version: ${request.apiVersion}\n`] : [])].join('');
}

/**
 * Hash of method, path with query, significant headers and body. If the body contains a password, the hash is as
 * expensive as a password hash: otherwise the stored hash would be the easier target of an attack.
 */
async function hashRequest(
  request: FastifyRequest,
  { userId, key }: KeyOwner,
  fingerprint: Fingerprint,
): Promise<Buffer> {
  const body = request.sentBody ?? request.body;
  const hash = hashOfHead(request)
    .update(typeof body === 'string' || Buffer.isBuffer(body) ? body : (JSON.stringify(body) ?? ''))
    .digest();
  return containsPassword(body) ? fingerprint(hash, `${userId} ${key}`, request.ip) : hash;
}

const hashOfHead = (request: FastifyRequest): Hash =>
  createHash('sha256').update(`${request.method} ${request.url}\n${significantHeaders(request)}`);

/** A body that the handler reads as a stream. */
const streamedBody = ({ body }: FastifyRequest): Readable | undefined => (body instanceof Readable ? body : undefined);

/** Yields the body and hashes it. */
async function* hashing(body: AsyncIterable<Uint8Array> | undefined, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of body ?? []) {
    hash.update(chunk);
    yield chunk;
  }
}

/** As `hashRequest`. Reads the body, which no handler gets. */
async function hashOfStream(request: FastifyRequest, body: Readable | undefined): Promise<Buffer> {
  const hash = hashOfHead(request);
  for await (const _ of hashing(body, hash));
  return hash.digest();
}

/** As `hashRequest`, of the body that the handler reads: call the result afterwards. */
function hashWhileRead(request: FastifyRequest, body: Readable | undefined): () => Buffer {
  const hash = hashOfHead(request);
  let isWhole = false;
  request.body = Readable.from(
    (async function* () {
      yield* hashing(body, hash);
      isWhole = true;
    })(),
  );
  return () => {
    if (!isWhole) throw new Error('The handler has not read the whole body, so the request has no hash.');
    return hash.digest();
  };
}

const PASSWORDS = new Set(['password', 'currentpassword']);
const containsPassword = (body: unknown) =>
  typeof body === 'object' &&
  body !== null &&
  !Buffer.isBuffer(body) &&
  Object.keys(body).some((name) => PASSWORDS.has(name.toLowerCase()));

function replay(reply: FastifyReply, { status, headers, body }: StoredAnswer) {
  return reply
    .code(status)
    .headers(headers)
    .header('idempotent-replayed', 'true')
    .serializer((text: string) => text)
    .send(body === '' ? undefined : body);
}

/** Commits and stores a successful answer. Any other answer rolls back. */
async function end(run: Run, reply: FastifyReply, payload: unknown) {
  run.ended = true;
  const { transaction, owner, claim, requestHash, secret } = run;
  try {
    if (reply.statusCode < 200 || reply.statusCode >= 300) {
      await transaction.rollBack();
      return await claim.release();
    }
    const answer = {
      requestHash: requestHash(),
      status: reply.statusCode,
      headers: Object.fromEntries(
        STORED_HEADERS.flatMap((name) => {
          const value = reply.getHeader(name);
          return value === undefined ? [] : [[name, String(value)]];
        }),
      ),
      ...(secret ? {} : { body: textOf(payload) }),
    };
    await transaction.transaction(async (tx) => {
      // if this process was suspended, another request may have taken over the key
      if (!(await claim.releaseIn(tx)) || !(await storeAnswer(tx, owner, answer))) throw stillRunning();
    });
    await transaction.commit();
    claim.released();
  } catch (error) {
    await transaction.rollBack();
    await claim.release();
    throw error;
  }
}

function textOf(payload: unknown): string {
  if (payload === null || payload === undefined) return '';
  if (typeof payload === 'string') return payload;
  if (Buffer.isBuffer(payload)) return payload.toString('utf8');
  throw new Error('A stream cannot be stored for repeated requests.');
}

/**
 * For answers that wait for other processes (`Prefer: wait`): commits, stores `answer` for repeated requests, then runs
 * `wait` outside of the transaction and returns its result, which is sent instead. Set the status before.
 */
export async function afterCommit<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: unknown,
  wait: () => Promise<T>,
): Promise<T> {
  const run = runs.get(request);
  if (!run || run.ended) return wait();
  if (!reply.hasHeader('content-type')) reply.type('application/json; charset=utf-8');
  await end(run, reply, reply.serialize(answer as never));
  return wait();
}
