-- What made credits of a lot available last is asked for each open lot of a pool, which may have millions of entries.
create index credit_entries_arrivals on credit_entries (pool_id, lot_id, seq) where account = 'Available' and amount > 0;
