-- Search for words of projects and datasets. `sql/functions/search.sql` keeps the entries.

-- Folded as names are, without diacritics: `Århus` is found by `arhus`.
create function search_fold(words text) returns text language sql immutable strict parallel safe
return regexp_replace(normalize(fold_name(words), nfd), '[\u0300-\u036f]+', '', 'g') collate "pg_unicode_fast";

-- The words of a name in their order, each followed by one blank but the last: what names are compared and sorted by. Cut
-- off so that it fits into an index.
create function search_name(name text) returns text language sql immutable strict parallel safe
return left(trim(regexp_replace(search_fold(name), '[^[:alnum:]]+', ' ', 'g')), 200) collate "C";

-- The first 2,000 words, each once and at most 64 characters of it.
create function search_words(words text) returns text[] language sql immutable strict parallel safe as $$
  select coalesce(array_agg(distinct left(word, 64)), '{}') from (
    select word from regexp_split_to_table(search_fold(left(words, 100000)), '[^[:alnum:]]+') word
    where word <> '' limit 2000) first
$$;

-- Boxes of the rings of a WKT, in its own coordinates. Empty for a text that is no WKT.
create function search_areas(wkt text) returns box[] language sql immutable parallel safe as $$
  select coalesce(array_agg(ring.area), '{}') from (
    select box(point(min(place[1]::float8), min(place[2]::float8)), point(max(place[1]::float8), max(place[2]::float8))) as area
    from string_to_table(wkt, ')') with ordinality part (text, n)
    cross join string_to_table(part.text, ',') pair
    cross join regexp_match(pair, '(?:^|[\s(])([-+]?\d{1,3}(?:\.\d{1,20})?)\s+([-+]?\d{1,2}(?:\.\d{1,20})?)(?:\s+\S+){0,2}\s*$') place
    where place is not null
    group by part.n) ring
$$;

create table search_entries (
  id uuid primary key,
  project_id uuid not null,
  kind text not null check (kind in ('Project', 'Dataset')),
  name text collate "C" not null,
  words tsvector not null,
  areas box[] not null default '{}'
);

-- The entry of a project.
create function search_entry(p projects) returns search_entries language sql stable as $$
  select p.id, p.id, 'Project', search_name(p.name),
    array_to_tsvector(search_words(concat_ws(' ', p.name, p.description, regexp_replace(left(p.metadata::text, 100000), '\\["\\/bfnrt]', ' ', 'g')))),
    '{}'::box[]
$$;

-- The entry of a dataset. Names of items are among the texts of `properties`; those of series are in their table.
create function search_entry(d datasets) returns search_entries language sql stable as $$
  select d.id, d.project_id, 'Dataset', search_name(d.name),
    array_to_tsvector(search_words(concat_ws(' ', d.name, array_to_string(d.tags, ' '), d.description,
      (select string_agg(distinct item->>'name', ' ') from ts_series s where s.dataset_id = d.id),
      -- a walk through a megabyte of nested lists would take seconds
      case when length(d.properties::text) <= 100000 then
        (select string_agg(value #>> '{}', ' ') from jsonb_path_query(d.properties, 'strict $.**') value where jsonb_typeof(value) = 'string')
        else left(d.properties::text, 100000) end,
      regexp_replace(left(d.metadata::text, 100000), '\\["\\/bfnrt]', ' ', 'g')))),
    search_areas(d.spatial_information->>'location')
$$;

-- Until the triggers of `sql/functions/search.sql` exist, nobody writes.
lock table projects, datasets, ts_series in share row exclusive mode;
insert into search_entries select e.* from projects p cross join lateral search_entry(p) e;
insert into search_entries select e.* from datasets d cross join lateral search_entry(d) e;
create index search_entries_words on search_entries using gin (words) with (fastupdate = off);
create index search_entries_named on search_entries (name, id);
create index search_entries_kind on search_entries (kind, name, id);
create index search_entries_project on search_entries (project_id);
