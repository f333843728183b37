-- Addresses that were void because something above was revoked stay void when what they open goes elsewhere, where nothing above was: by a
-- move, by its path, out of the recycle bin, or with a transfer.

-- Of a dataset addresses of its own: those of folders that it comes below are as good for it as for what is there.
create function keep_grants_void() returns trigger language plpgsql as $$ begin
  new.own_grants_since := greatest(new.own_grants_since, (
    select max(a.grants_since) from projects p join projects a on a.id = any(p.path) where p.id = old.project_id));
  return new;
end $$;
create trigger keep_grants_void before update of project_id on datasets for each row
  when (old.project_id is distinct from new.project_id) execute function keep_grants_void();

-- Of a project all, for those of the folders below it were void, too. What is below it has it among its own path still.
create function keep_project_grants_void() returns trigger language plpgsql as $$ begin
  new.grants_since := greatest(new.grants_since, (select max(a.grants_since) from projects a where a.id = any(old.path)));
  return new;
end $$;
create trigger keep_grants_void before update of parent_id on projects for each row
  when (old.parent_id is distinct from new.parent_id) execute function keep_project_grants_void();
