-- People name a transfer by the end of its id, as lists on a terminal show it.
create index transfers_ending on transfers (right(id::text, 6));
