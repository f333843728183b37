import { sql } from '../../../db.ts';
import { sqlRule } from '../sql-rule.queries.ts';

/** A thumbnail is an image of its content type. */
export const thumbnails = sqlRule(
  'thumbnail',
  sql.fragment`
    select project_id as id, 'The thumbnail is no ' || content_type || ': it begins with ' || encode(substring(content from 1 for 4), 'hex') || '.' as message
    from project_thumbnails
    where not case content_type when 'image/png' then substring(content from 1 for 8) = '\\x89504e470d0a1a0a'::bytea
      when 'image/jpeg' then substring(content from 1 for 3) = '\\xffd8ff'::bytea
      else substring(content from 1 for 4) = 'RIFF'::bytea and substring(content from 9 for 4) = 'WEBP'::bytea end`,
);
