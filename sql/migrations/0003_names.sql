-- Tables and columns get the names that the field uses.

alter table chore_runs rename to maintenance_runs;
alter table gone_projects rename to removed_projects;
alter table removed_projects rename gone_at to removed_at;
alter table gone_members rename to removed_project_members;
alter table removed_project_members rename gone_at to removed_at;
alter table figures rename to transfer_metrics;
alter table figures_position rename to transfer_metrics_position;
alter table spent_blobs rename to blob_deletions;
alter table blob_deletions rename spent_at to requested_at;
alter table waiting_needs rename to waiting_requirements;
alter table mass_retried rename to mass_retry_transfers;
alter table mass_retry_transfers rename started_id to new_transfer_id;
alter table mass_retries rename most to max_transfers;
alter table mass_retries rename failure to fingerprint;
alter table workers rename holds_for to reserved_for;
alter table account_mails rename asked to identifier;
alter table projects rename grants_since to min_grant_generation;
alter table datasets rename grants_since to min_grant_generation;
alter table datasets rename own_grants_since to own_min_grant_generation;
alter table transfers rename turn to virtual_time;
alter table transfers rename asked to requested_flags;
alter table transfers rename failure to fingerprint;
alter sequence transfer_clock rename to virtual_clock;

alter function asked_needs(text[]) rename to requested_flags;
alter function failure_kind(text, jsonb, text) rename to failure_fingerprint;
alter index account_mails_asked rename to account_mails_reset;
alter index transfers_turns rename to transfers_virtual_time;
alter index transfers_failures rename to transfers_fingerprint;
alter index transfers_asked rename to transfers_requested_flags;

-- Indexes and constraints that Postgres named after a table or column.
do $$
declare
  part record;
  fresh text;
begin
  for part in
    select format('alter table %s rename constraint %I to', conrelid::regclass, conname) as command, conname as name
    from pg_constraint where connamespace = 'public'::regnamespace and contype <> 't' and conrelid <> 0
    union all
    select format('alter index %I rename to', relname), relname
    from pg_class where relnamespace = 'public'::regnamespace and relkind = 'i'
      and not exists (select from pg_constraint where conindid = pg_class.oid and contype in ('p', 'u'))
  loop
    fresh := part.name;
    fresh := regexp_replace(fresh, '^chore_runs', 'maintenance_runs');
    fresh := regexp_replace(fresh, '^gone_projects', 'removed_projects');
    fresh := regexp_replace(fresh, '^gone_members', 'removed_project_members');
    fresh := regexp_replace(fresh, '^figures', 'transfer_metrics');
    fresh := regexp_replace(fresh, '^spent_blobs', 'blob_deletions');
    fresh := regexp_replace(fresh, '^waiting_needs', 'waiting_requirements');
    fresh := regexp_replace(fresh, '^mass_retried', 'mass_retry_transfers');
    fresh := regexp_replace(fresh, '_gone_at_', '_removed_at_');
    fresh := regexp_replace(fresh, '_spent_at_', '_requested_at_');
    fresh := regexp_replace(fresh, '_started_id_', '_new_transfer_id_');
    fresh := regexp_replace(fresh, '_grants_since_', '_min_grant_generation_');
    fresh := regexp_replace(fresh, '^mass_retries_most_', 'mass_retries_max_transfers_');
    fresh := regexp_replace(fresh, '^mass_retries_failure_', 'mass_retries_fingerprint_');
    fresh := regexp_replace(fresh, '^transfers_turn_', 'transfers_virtual_time_');
    if fresh <> part.name then execute format('%s %I', part.command, fresh); end if;
  end loop;
end $$;

-- made anew under other names by `functions/events.sql`
drop trigger if exists projects_gone on projects;
drop function if exists remember_project();
