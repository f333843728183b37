-- Signed addresses carry a number instead of a time: what was signed while a move was under way had a time behind the move's and stayed
-- valid. The number of the last commit that made addresses void is in one row, which whoever raises it holds until the commit; so who reads
-- it sees the effects of all up to it, and none of later ones. Read it before (or in the statement in which) rights are looked at.
create table grant_generations (
  one boolean primary key default true check (one),
  generation bigint not null
);
insert into grant_generations (generation) values (1);

-- An address that was signed in an earlier generation is void: for all that lies in a project, for a dataset however it is reached, and
-- for a dataset by addresses of its own (which its folders are none of).
alter table projects add column grants_since bigint not null default 0;
alter table datasets add column grants_since bigint not null default 0, add column own_grants_since bigint not null default 0;
-- the addresses of before carry no number and count as signed in generation 0
update datasets set own_grants_since = 1 where grants_from is not null;
alter table datasets drop column grants_from;
