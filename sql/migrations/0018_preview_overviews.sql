-- Overviews of large grids, beside the store of a preview or without one.

alter table previews
  add needs text not null default 'store' check (needs in ('store', 'overview')),
  add overview text,
  add overview_size bigint check (overview_size >= 0),
  drop constraint previews_check,
  add constraint previews_store check ((state = 'ready' and needs = 'store') = (store is not null)),
  add constraint previews_overview check ((overview is null) = (overview_size is null)),
  add constraint previews_overview_ready check (
    case when needs = 'overview' then (state = 'ready') = (overview is not null)
    else overview is null or state = 'ready' end);
create index previews_overview on previews (overview) where overview is not null;
