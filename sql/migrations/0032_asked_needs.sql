-- What a request asks of a worker, without what is estimated: few different such needs may be under way in a tenant.

create function asked_needs(flags text[]) returns text[] language sql immutable parallel safe
  return (select array_agg(flag order by place) from unnest(flags) with ordinality as each (flag, place) where flag not like '%~%');

alter table transfers
  -- the part of its flags that it asks for; none: nothing
  add column asked text[] generated always as (case when flags <> '{}' then asked_needs(flags) end) stored;
create index transfers_asked on transfers (tenant_id, asked) where finished_at is null and asked is not null;
