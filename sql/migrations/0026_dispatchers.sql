-- Dispatchers of several clusters on one database, what they count, and the nodes that pods run on.

alter table workers add column node text;
alter table workers add column cluster text;
alter table kubernetes_jobs add column cluster text;
alter table kubernetes_jobs add column failed_with text[] not null default '{}';
alter table cluster_views add column trouble text;

create table kubernetes_metrics (
  name text not null,
  labels jsonb not null default '{}',
  upper float8 not null default 'infinity',
  count bigint not null default 0,
  sum float8 not null default 0,
  primary key (name, labels, upper)
);
