import { z } from 'zod';
import { type Fragment, type Reads, sql, type Transaction } from '../db.ts';

const Generation = z.object({ generation: z.number() });

/** Current generation as a subquery, for a statement that also checks rights. */
export const generationNow = sql.fragment`(select generation from grant_generations)`;

/**
 * Generation to sign addresses with. Read it before the check of the caller's rights: a later revocation has a higher
 * generation, so an address signed in between becomes invalid when the revocation commits.
 */
export const currentGeneration = (db: Reads) =>
  db.oneFirst(sql.type(Generation)`select generation from grant_generations`);

/**
 * Takes a new generation, and serializes revocations until the transaction ends. Lock order: trees, generation, then
 * the rows that store it.
 */
export const nextGeneration = (tx: Transaction) =>
  tx.oneFirst(sql.write(Generation)`update grant_generations set generation = generation + 1 returning generation`);

/** Lowest valid generation of an address in project `p`: the highest that was set on `p` or an ancestor. */
export const validSinceAbove = (p: Fragment) =>
  sql.fragment`(select max(a.min_grant_generation) from projects a where a.id = any(${p}.path))`;

export const setProjectGrants = (tx: Transaction, id: string, generation: number) =>
  tx.query(sql.unsafe`update projects set min_grant_generation = ${generation}::bigint where id = ${id}`);
