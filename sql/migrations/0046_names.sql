-- Names of projects and datasets hold any printable character, a slash too; in paths a slash inside a name is written %2F.

-- A name as it stands in a path. A %2F of the name becomes %252F, a %252F becomes %25252F, and so on, so that each segment is one name.
create function path_segment(name text) returns text language sql immutable parallel safe
return case when strpos(name, '/') = 0 and strpos(name, '%') = 0 then name
  else replace(regexp_replace(name, '%(?=(25)*2F)', '%25', 'g'), '/', '%2F') end;

-- Control characters, line and paragraph separators.
create function is_entity_name(name text) returns boolean language sql immutable parallel safe
return length(name) between 1 and 255 and name = trim(name) and name !~ '[\u0001-\u001f\u007f-\u009f\u2028\u2029]';

-- What was taken before and is no name any more: its control characters become spaces.
create function pg_temp.mended(name text) returns text language sql immutable
return coalesce(nullif(trim(regexp_replace(name, '[\u0001-\u001f\u007f-\u009f\u2028\u2029]', ' ', 'g')), ''), '_');
alter table projects drop constraint projects_name_check;
alter table datasets drop constraint datasets_name_check;
update projects set name = pg_temp.mended(name) where not is_entity_name(name);
update datasets set name = pg_temp.mended(name) where not is_entity_name(name);
update recycle_bin set name = pg_temp.mended(name) where not is_entity_name(name);
-- datasets that transfers under way will make
update transfers set request = jsonb_set(request, '{output,name}', to_jsonb(pg_temp.mended(request->'output'->>'name')))
where status in ('Pending', 'InProgress') and not is_entity_name(request->'output'->>'name');

alter table projects add constraint projects_name_check check (is_entity_name(name));
alter table datasets add constraint datasets_name_check check (is_entity_name(name));
