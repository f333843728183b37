-- Requests with an Idempotency-Key that run now. Whoever runs one renews its claim, so a claim past its time belongs to a process that is gone.
-- A crash of the database empties the table and ends those requests, too: their effects remove the claim in their own transactions.
create unlogged table idempotency_claims (
  user_id uuid not null,
  key text not null check (length(key) between 1 and 255),
  claim uuid not null unique,
  leased_until timestamptz not null,
  primary key (user_id, key)
);
