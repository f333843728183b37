-- The words to search for, each as the beginning of a word.
create or replace function search_query(words text) returns tsquery language sql immutable parallel safe as $$
  select string_agg('''' || word || ''':*', ' & ')::tsquery from unnest(search_words(words)) word
$$;

-- About how many entries have the words, from the statistics of the planner: a count would read all of them.
create or replace function estimated_matches(words text) returns bigint language plpgsql volatile as $$
declare
  plan json;
begin
  execute format('explain (format json) select from search_entries where words @@ %L::tsquery', search_query(words)) into plan;
  return plan -> 0 -> 'Plan' ->> 'Plan Rows';
end $$;

create or replace function keep_project_entry() returns trigger language plpgsql as $$
begin
  update search_entries set name = e.name, words = e.words from search_entry(new) e where search_entries.id = new.id;
  return null;
end $$;
create or replace trigger search_projects_changed after update of name, description, metadata on projects
  for each row when ((old.name, old.description, old.metadata) is distinct from (new.name, new.description, new.metadata))
  execute function keep_project_entry();

-- Once per statement: other members of a project may be those of all projects below. No index has these columns, so that
-- such an update need not write the words again.
create or replace function move_entries() returns trigger language plpgsql as $$
begin
  update search_entries e set tenant_id = n.tenant_id, member_source_id = n.member_source_id
  from made n join former o on o.id = n.id
  where (o.tenant_id, o.member_source_id) is distinct from (n.tenant_id, n.member_source_id) and e.project_id = n.id;
  return null;
end $$;
create or replace trigger search_projects_moved after update on projects
  referencing old table as former new table as made for each statement execute function move_entries();

create or replace function keep_dataset_entry() returns trigger language plpgsql as $$
begin
  update search_entries set project_id = e.project_id, name = e.name, words = e.words, areas = e.areas,
    tenant_id = e.tenant_id, member_source_id = e.member_source_id
  from search_entry(new) e where search_entries.id = new.id;
  return null;
end $$;
create or replace trigger search_datasets_changed
  after update of project_id, name, description, metadata, properties, tags, spatial_information on datasets
  for each row when ((old.project_id, old.name, old.description, old.metadata, old.properties, old.tags, old.spatial_information)
    is distinct from (new.project_id, new.name, new.description, new.metadata, new.properties, new.tags, new.spatial_information))
  execute function keep_dataset_entry();

-- Once per statement, because a copy makes ten thousand projects.
create or replace function add_project_entries() returns trigger language plpgsql as $$
begin
  insert into search_entries
  select e.* from projects p cross join lateral search_entry(p) e where p.id in (select id from made);
  return null;
end $$;
create or replace trigger search_projects_made after insert on projects
  referencing new table as made for each statement execute function add_project_entries();

create or replace function add_dataset_entries() returns trigger language plpgsql as $$
begin
  insert into search_entries
  select e.* from datasets d cross join lateral search_entry(d) e where d.id in (select id from made);
  return null;
end $$;
create or replace trigger search_datasets_made after insert on datasets
  referencing new table as made for each statement execute function add_dataset_entries();

create or replace function remove_entries() returns trigger language plpgsql as $$
begin
  delete from search_entries where id in (select id from gone);
  return null;
end $$;
create or replace trigger search_projects_removed after delete on projects
  referencing old table as gone for each statement execute function remove_entries();
create or replace trigger search_datasets_removed after delete on datasets
  referencing old table as gone for each statement execute function remove_entries();

-- Adds the names of items that the entry does not have yet: most series of a dataset have the same few items.
create or replace function add_item_words() returns trigger language plpgsql as $$
begin
  update search_entries e set words = e.words || array_to_tsvector(items.words)
  from (
    select dataset_id, search_words(string_agg(distinct item->>'name', ' ')) as words from made group by dataset_id) items
  where e.id = items.dataset_id and not tsvector_to_array(e.words) @> items.words;
  return null;
end $$;
create or replace trigger search_series_made after insert on ts_series
  referencing new table as made for each statement execute function add_item_words();
