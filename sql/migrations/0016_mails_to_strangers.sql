-- Whom registrations had a mail sent to within the last hour: nobody's mailbox is filled by others.
create table registration_mails (
  recipient text not null,
  ordered_at timestamptz not null default clock_timestamp()
);
create index registration_mails_recipient on registration_mails (lower(recipient), ordered_at);
