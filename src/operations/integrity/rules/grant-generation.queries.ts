import { sql } from '../../../db.ts';
import { sqlRule } from '../sql-rule.queries.ts';

const needed = sql.fragment`
  needed as (
    select greatest((select max(min_grant_generation) from projects),
      (select max(greatest(min_grant_generation, own_min_grant_generation)) from datasets)) as generation)`;

/** Signed addresses that are made now are valid: their generation is not below one that was made void. */
export const grantGeneration = sqlRule(
  'grant-generation',
  sql.fragment`
    with ${needed}
    select g.generation as id, 'New signed addresses have the generation ' || g.generation || ', but some of ' || n.generation
      || ' are void already.' as message
    from grant_generations g, needed n where n.generation > g.generation`,
  (tx) =>
    tx.query(sql.unsafe`
      with ${needed} update grant_generations set generation = greatest(generation, (select generation from needed))`),
);
