import { sql } from '../../../db.ts';
import { sqlRule } from '../sql-rule.queries.ts';

/** Blocks of a series do not overlap. */
export const seriesBlocks = sqlRule(
  'series-blocks',
  sql.fragment`
    select b.series_key || '/' || b.first as id, 'Two blocks of values of the series ''' || s.id || ''' of the dataset ' || s.dataset_id
      || ' overlap.' as message
    from (select series_key, first, lag(last) over (partition by series_key order by first) as before from ts_blocks) b
    join ts_series s on s.key = b.series_key where b.first <= b.before`,
);
