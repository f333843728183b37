-- Which cluster a view is of was read from its name.
alter table cluster_views add column cluster text;
