import { createHash, randomBytes } from 'node:crypto';
import type { Database, Reads, Transaction } from '../db.ts';
import { invalid } from '../errors.ts';
import { hasAdministrator, lockAdministrators } from '../groups/queries.ts';
import { isFirstLink, putFirstLink, useFirstLink } from './first-link.queries.ts';

const hashOf = (token: string) => createHash('sha256').update(token).digest();

/**
 * Makes a token of a link by which the first administrator is made, good for an hour and for one use; the one before
 * ends. Only its hash is stored. Undefined if the platform has an administrator.
 */
export const newFirstLink = (db: Database): Promise<string | undefined> =>
  db.transaction(async (tx) => {
    await lockAdministrators(tx);
    if (await hasAdministrator(tx)) return undefined;
    const token = randomBytes(16).toString('base64url');
    await putFirstLink(tx, hashOf(token));
    return token;
  });

/** @throws if the token is not that of the present link */
export async function checkFirstLink(db: Reads, token: string): Promise<void> {
  if (!(await isFirstLink(db, hashOf(token)))) throw linkNotValid();
}

/** Ends the link in the transaction that makes the administrator. @throws as `checkFirstLink` */
export async function spendFirstLink(tx: Transaction, token: string): Promise<void> {
  if (!(await useFirstLink(tx, hashOf(token)))) throw linkNotValid();
}

const linkNotValid = () =>
  invalid('The link is unknown, was used before or has expired. Start the platform again for a new one.', {
    code: 'TokenNotValid',
  });
