import { sql } from '../../../db.ts';
import { lockTables, sqlRule } from '../sql-rule.queries.ts';

const extents = sql.fragment`
  extents as (
    select s.key, coalesce(sum(length(b.data)), 0)::bigint as bytes, min(b.first) as first, max(b.last) as last
    from ts_series s left join ts_blocks b on b.series_key = s.key group by s.key)`;

/** Size and period of a series are those of its blocks. */
export const seriesExtent = sqlRule(
  'series-extent',
  sql.fragment`
    with ${extents}
    select s.key as id, 'The series ''' || s.id || ''' of the dataset ' || s.dataset_id || ' has another size or period than its values.' as message
    from ts_series s join extents e using (key) where (s.bytes, s.first, s.last) is distinct from (e.bytes, e.first, e.last)`,
  async (tx, ids) => {
    await lockTables(tx, ['ts_series', 'ts_blocks']);
    await tx.query(sql.unsafe`
      with ${extents}
      update ts_series s set bytes = e.bytes, first = e.first, last = e.last from extents e
      where s.key = e.key and s.key = any(${sql.array(ids, 'int8')})`);
  },
);
