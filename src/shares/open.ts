import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { findRights } from '../datasets/queries.ts';
import type { Database, Reads } from '../db.ts';
import { AppError } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { findPresentCaller } from '../keys/issuers.ts';
import { may } from '../projects/access.ts';
import { hashToken } from './manage.ts';
import { findOpenShare, insertDay, insertOpen, type OpenShare, wasCounted } from './queries.ts';

/** Browsers that are counted of one link on one day. */
const MAX_OPENS_A_DAY = 10_000;
const SALT_BYTES = 32;
const NO_ID = '00000000-0000-0000-0000-000000000000';
const NOWHERE = { scopes: [], address: '', requestId: '' };
const NOBODY: Caller = {
  userId: NO_ID,
  accountId: '',
  foldedId: '',
  tenants: [],
  groups: [],
  roles: [],
  via: 'token',
  ...NOWHERE,
};

/** An open link, and who made it, with the present rights. */
export interface Opened {
  share: OpenShare;
  creator: Caller;
}

/**
 * The link of a token. Undefined if it is unknown, was ended, has expired, its dataset is deleted, or its creator may
 * not grant access to the dataset any more, as with signed addresses. Asks the database each time, and the same
 * questions for each token, so that neither the answer nor its time tells which of these holds.
 */
export async function findOpened(db: Reads, token: string): Promise<Opened | undefined> {
  const share = await findOpenShare(db, hashToken(token));
  const creator = await findPresentCaller(db, share?.createdBy ?? NO_ID, NOWHERE);
  const rights = await findRights(db, creator ?? NOBODY, share?.datasetId ?? NO_ID);
  if (!share || !creator || !rights || !may(rights, 'canGrantAccess') || !may(rights, 'canReadContent'))
    return undefined;
  return { share, creator };
}

export interface OpenParts {
  db: Database;
  /** Setting `shares.allowed`: without it no link is open. */
  allowed: boolean;
  /** Counts a request with an unknown token for its address. Returns the error if there were too many. */
  strangerRefused(request: FastifyRequest): AppError | undefined;
}

/** The error for all links that are not open. */
export const shareNotFound = () =>
  new AppError('notFound', 'This link does not exist, or it has ended.', { code: 'ShareNotFound' });

/** The error for the client of a link that is not open. */
export const notOpenTo = ({ strangerRefused }: Pick<OpenParts, 'strangerRefused'>, request: FastifyRequest): AppError =>
  strangerRefused(request) ?? shareNotFound();

/**
 * The link whose token stands in the path of a request.
 * @throws AppError the same for all links that are not open
 */
export async function openedBy(parts: OpenParts, request: FastifyRequest): Promise<Opened> {
  const { token } = request.params as { token: string };
  const found = parts.allowed ? await findOpened(parts.db, token) : undefined;
  if (found === undefined) throw notOpenTo(parts, request);
  return found;
}

/**
 * Counts a browser once a day. Keeps a hash of it until the day is over, and never its address.
 * @param browser what tells browsers apart: client address and User-Agent
 */
export async function countOpen(db: Database, id: string, browser: string): Promise<void> {
  if (await wasCounted(db, id, browser)) return;
  await db.transaction(async (tx) => {
    await insertDay(tx, randomBytes(SALT_BYTES));
    await insertOpen(tx, id, browser, MAX_OPENS_A_DAY);
  });
}
