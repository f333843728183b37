-- The same entries of searches in less time.

-- As before. Most texts are ASCII, which is folded by `lower` alone.
create or replace function search_fold(words text) returns text language sql immutable strict parallel safe
return case when octet_length(words) = length(words) then lower(words collate "C")
  else regexp_replace(normalize(fold_name(words), nfd), '[\u0300-\u036f]+', '', 'g') end collate "pg_unicode_fast";

-- The words of `search_words`. An expression alone, which becomes part of the statement that calls it; `array_to_tsvector`
-- sorts the words and keeps each once.
create function search_vector(words text) returns tsvector language sql immutable parallel safe
return array_to_tsvector((string_to_array(trim(regexp_replace(regexp_replace(search_fold(left(words, 100000)),
  '[^[:alnum:]]+', ' ', 'g'), '([^ ]{64})[^ ]+', '\1', 'g')), ' '))[:2000]);

-- `setof`: such a function of one select becomes part of the statement that calls it; others are planned for each row.
drop function search_entry(projects);
create function search_entry(p projects) returns setof search_entries language sql stable as $$
  select p.id, p.id, 'Project', search_name(p.name),
    search_vector(concat_ws(' ', p.name, p.description, regexp_replace(left(p.metadata::text, 100000), '\\["\\/bfnrt]', ' ', 'g'))),
    '{}'::box[]
$$;

drop function search_entry(datasets);
create function search_entry(d datasets) returns setof search_entries language sql stable as $$
  select d.id, d.project_id, 'Dataset', search_name(d.name),
    search_vector(concat_ws(' ', d.name, array_to_string(d.tags, ' '), d.description,
      (select string_agg(distinct item->>'name', ' ') from ts_series s where s.dataset_id = d.id),
      -- a walk through a megabyte of nested lists would take seconds
      case when d.properties = '{}' then null when length(d.properties::text) <= 100000 then
        (select string_agg(value #>> '{}', ' ') from jsonb_path_query(d.properties, 'strict $.**') value where jsonb_typeof(value) = 'string')
        else left(d.properties::text, 100000) end,
      regexp_replace(left(d.metadata::text, 100000), '\\["\\/bfnrt]', ' ', 'g'))),
    case when d.spatial_information is null then '{}' else search_areas(d.spatial_information->>'location') end
$$;
