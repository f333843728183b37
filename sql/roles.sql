-- Creates or updates the two roles of the platform: `platform_owner` owns database and tables, and migrates;
-- `platform_runtime` is the role of API and workers, which `runtime-role.sql` gives its rights. A superuser runs it in the
-- database of the platform, also in one with tables, and again at any time. The settings platform.owner_password and
-- platform.runtime_password contain the passwords: PGOPTIONS='-c platform.owner_password=… -c platform.runtime_password=…'.
do $$
declare
  one record;
begin
  perform pg_advisory_xact_lock(hashtextextended('roles of the platform', 0));
  for one in
    select * from (values
      ('platform_owner', current_setting('platform.owner_password')),
      ('platform_runtime', current_setting('platform.runtime_password'))) roles (name, password)
  loop
    if coalesce(one.password, '') = '' then raise exception 'There is no password for the role %.', one.name; end if;
    if not exists (select from pg_roles where rolname = one.name) then
      execute format('create role %I', one.name);
    end if;
    execute format('alter role %I login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password %L',
      one.name, one.password);
  end loop;
  execute format('alter database %I owner to platform_owner', current_database());
  execute format('revoke all on database %I from public', current_database());
  execute format('grant connect on database %I to platform_runtime', current_database());
  -- tables of a version without roles belong to the superuser
  for one in
    with namespaces as (select oid, nspname from pg_namespace where nspname in ('public', 'graphile_worker')),
    owned as (
      select format('alter schema %I', nspname) as command, nspowner as owner
      from namespaces join pg_namespace using (oid, nspname) where nspname <> 'public'
      union all
      select format('alter %s %I.%I', case relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence'
          when 'c' then 'type' else 'table' end, nspname, relname), relowner
      from pg_class c join namespaces n on n.oid = relnamespace
      -- sequences of columns follow their table
      where relkind in ('r', 'p', 'v', 'm', 'S', 'c')
        and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'i') and relkind = 'S')
      union all
      select format('alter routine %s', p.oid::regprocedure), proowner from pg_proc p join namespaces n on n.oid = pronamespace
      union all
      select format('alter type %I.%I', nspname, typname), typowner
      from pg_type t join namespaces n on n.oid = typnamespace where typtype in ('d', 'e'))
    select command from owned where owner <> 'platform_owner'::regrole
  loop
    execute one.command || ' owner to platform_owner';
  end loop;
end $$;
