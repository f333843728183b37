import { sql } from '../../../db.ts';
import { sqlRule } from '../sql-rule.queries.ts';

/** A completed transfer names the dataset that it made or changed. Files of exports expire. */
export const transferOutput = sqlRule(
  'transfer-output',
  sql.fragment`
    select id, 'The transfer (' || type || ') is completed, but names no dataset that it made or changed.' as message
    from transfers where status = 'Completed' and type in ('Import', 'Update', 'Append') and output_dataset_id is null`,
);
