/**
 * - `outage`: the database is unreachable, or a time limit has passed
 * - `again`: deadlock, serialization failure or lock timeout; a retry can succeed
 * - `conflict`: violation of a unique or foreign key
 * - undefined: a bug, or not an error of the database
 */
export type DatabaseErrorKind = 'outage' | 'again' | 'conflict' | undefined;

/**
 * Codes of system calls; SQLSTATE: connection exception, time-out of an idle transaction, invalid authorization,
 * unknown database, lack of resources, operator intervention.
 */
const OUTAGE_CODES =
  /^(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|08...|25P03|28...|3D000|53...|57P..)$/;
/** Messages of `pg`, without a code, for a connection that broke or timed out. */
const NO_CONNECTION =
  /^(Connection terminated|timeout e|Client (was closed|has encountered a connection error)|canceling statement due to statement timeout)/;
const CONFLICT_CODES = /^(23503|23505)$/;
/** serialization_failure, deadlock_detected, lock_not_available. */
const AGAIN_CODES = /^(40001|40P01|55P03)$/;

export function databaseErrorKind(error: unknown): DatabaseErrorKind {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error ? String(error.code) : '';
  if (OUTAGE_CODES.test(code) || NO_CONNECTION.test(error.message)) return 'outage';
  if (CONFLICT_CODES.test(code)) return 'conflict';
  if (AGAIN_CODES.test(code)) return 'again';
  return databaseErrorKind(error.cause);
}

/**
 * What a trigger refuses at the commit: the message is for the user, the detail is JSON with `code` and more members.
 */
const REFUSAL_CODE = 'PT409';

export interface DatabaseRefusal {
  message: string;
  code: string;
  members: Record<string, number>;
}

/** The refusal of a trigger in an error or its causes. */
export function databaseRefusal(error: unknown): DatabaseRefusal | undefined {
  if (!(error instanceof Error)) return undefined;
  if (!('code' in error && error.code === REFUSAL_CODE && 'detail' in error)) return databaseRefusal(error.cause);
  const { code, ...members } = JSON.parse(String(error.detail));
  return { message: error.message, code, members };
}
