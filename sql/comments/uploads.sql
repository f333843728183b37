comment on table staged_blobs is
  'Uploaded files, and addresses for uploads to come. The account and the tenant of an upload may name it in '
  'transfers.';
comment on column staged_blobs.name is 'Last segment of the upload address.';
comment on column staged_blobs.tenant_id is 'Tenant whose members may use it. Null: only the account may.';
comment on column staged_blobs.blob is
  'Name in the blob store. Null: nothing was uploaded yet. Each upload makes a new blob, so that the input of a '
  'transfer never changes.';
comment on column staged_blobs.size is 'Bytes.';
comment on column staged_blobs.named_at is
  'Time at which a transfer first named it. From then on it cannot be written. Null: none has.';
comment on column staged_blobs.deleted_at is 'Hidden from then on; the blob stays while a transfer needs it.';
