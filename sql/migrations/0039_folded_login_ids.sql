-- One folding of login ids, kept beside them: Unicode's full case folding of the normalized text, the same in every locale and for
-- every process. JavaScript's and Postgres's lower case differ (İbrahim, ΝΙΚΟΣ), and neither takes ς and σ, or ß and ss, for the same.

create function fold_name(name text) returns text language sql immutable strict parallel safe
  return normalize(casefold(normalize(name, nfd) collate "pg_unicode_fast"), nfc);

-- Accounts whose ids were different and are the same now (straße and strasse). The older one keeps its id. The others get a number; the
-- permissions that named them follow, so that nobody gets what was given to another, and the audit trail says so.
create function renamed_principal(permissions jsonb, before text, after text) returns jsonb language sql immutable as $$
  select coalesce(jsonb_agg(jsonb_set(entry, '{principals}', (
      select coalesce(jsonb_agg(case when lower(principal) = lower(before) then after else principal end order by n), '[]')
      from jsonb_array_elements_text(entry->'principals') with ordinality p (principal, n))) order by m), '[]')
  from jsonb_array_elements(permissions) with ordinality e (entry, m)
$$;
do $$
declare
  twin record;
  fresh text;
  number integer;
begin
  for twin in
    select user_id, id, first_id from (
      select user_id, id, first_value(id) over w as first_id, row_number() over w as place from accounts
      window w as (partition by fold_name(id) order by created_at, user_id)) accounts
    where place > 1
  loop
    number := 1;
    loop
      number := number + 1;
      fresh := left(twin.id, 245) || '-' || number;
      exit when not exists (select from accounts where fold_name(id) = fold_name(fresh))
        and not exists (select from user_groups where fold_name(name) = fold_name(fresh));
    end loop;
    update accounts set id = fresh, updated_at = now() where user_id = twin.user_id;
    update projects set permissions = renamed_principal(permissions, twin.id, fresh)
    where id in (select project_id from permission_grants where lower(principal) = lower(twin.id));
    update datasets set permissions = renamed_principal(permissions, twin.id, fresh)
    where id in (select dataset_id from permission_grants where lower(principal) = lower(twin.id));
    insert into audit (action, subject, details)
    values ('account.rename', twin.id, jsonb_build_object('to', fresh, 'because', format('%L is the same login id', twin.first_id)));
  end loop;
end $$;
drop function renamed_principal;
-- a table with triggers that wait for the end of the transaction is not altered
set constraints all immediate;

alter table accounts add column folded_id text collate "C" not null generated always as (fold_name(id)) stored;
create unique index accounts_folded_id on accounts (folded_id);
drop index accounts_id;

alter table permission_grants add column folded_principal text collate "C" not null generated always as (fold_name(principal)) stored;
drop index permission_grants_principal;
-- users, and groups by their exact names
create index permission_grants_folded_principal on permission_grants (folded_principal);
create index permission_grants_principal on permission_grants (principal);

drop index audit_account;
drop index audit_subject;
create index audit_account on audit (fold_name(account_id), id);
create index audit_subject on audit (fold_name(subject), id);

create or replace function lock_name(name text) returns void language sql as $$
  select pg_advisory_xact_lock(7201956, hashtext(fold_name(name)) & 1023)
$$;

create or replace function refuse_group_name() returns trigger language plpgsql as $$
begin
  perform lock_name(new.id);
  if exists (select from user_groups where fold_name(name) = fold_name(new.id)) then return null; end if;
  return new;
end $$;
create index user_groups_folded_name on user_groups (fold_name(name));
