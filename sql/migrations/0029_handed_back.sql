-- Runs that were given back because their worker was asked to stop. They count for nothing: what is shown as `attempt` leaves them out.
alter table transfers add column handed_back integer not null default 0;
