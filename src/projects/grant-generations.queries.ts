import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';

const Generation = z.object({ generation: z.number() });

/** For a statement that looks at rights, too. */
export const generationNow = sql.fragment`(select generation from grant_generations)`;

/**
 * What addresses are to be signed with. Read it before the caller's rights are looked at: whatever takes rights and addresses away later
 * has a higher generation, so that what is signed meanwhile is void with the commit.
 */
export const currentGeneration = (db: Db) =>
  db.oneFirst(sql.type(Generation)`select generation from grant_generations`);

/** A new generation, for what becomes void with this transaction. Others wait for its end; take it behind trees, and before the rows that shall have it. */
export const nextGeneration = (tx: Db) =>
  tx.oneFirst(sql.type(Generation)`update grant_generations set generation = generation + 1 returning generation`);

/** Addresses in a project `p` count since. */
export const sincesAbove = (p: ReturnType<typeof sql.fragment>) =>
  sql.fragment`(select max(a.grants_since) from projects a where a.id = any(${p}.path))`;

export const setProjectGrants = (tx: Db, id: string, generation: number) =>
  tx.query(sql.unsafe`update projects set grants_since = ${generation}::bigint where id = ${id}`);
