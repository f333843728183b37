-- Two administrators who changed one account, group, tenant or feature at once overwrote each other.
alter table accounts add row_version bigint not null default 1;
alter table user_groups add row_version bigint not null default 1;
alter table tenants add row_version bigint not null default 1;
alter table features add row_version bigint not null default 1;
alter table feature_licences add row_version bigint not null default 1;
