comment on table transfers is
  'Imports, exports, conversions, updates and appends. The row is the truth; a row of the queue only wakes a '
  'worker. Ids of projects and datasets have no foreign key: a transfer outlives what it used.';
comment on column transfers.tenant_id is 'Tenant of the result.';
comment on column transfers.format is 'Name of the writer.';
comment on column transfers.request is
  'The accepted request: reader, writer, parameters, transformations, names, resources.';
comment on column transfers.staged_blob is
  '`staged_blobs.name` of the input. Null: the input is a dataset or a remote file.';
comment on column transfers.input_dataset_id is
  'Dataset that is the input. Null: the input is an upload or a remote file.';
comment on column transfers.account_id is 'Login id of `created_by` at the start.';
comment on column transfers.retry_of is 'Failed transfer that this one repeats.';
comment on column transfers.attempt is
  'Raised by each claim. Each write of a result names it, so that a worker that was overtaken writes nothing.';
comment on column transfers.worker_pool is
  '`workers.pool` of the worker that runs it, or ran it last. Null: it waits for a worker.';
comment on column transfers.deadline is 'End of the time limit of the attempt. Null: it waits for a worker.';
comment on column transfers.worker_losses is 'Attempts that ended because the worker died or stopped responding.';
comment on column transfers.child_deaths is 'Attempts whose child process died.';
comment on column transfers.outages is 'Attempts that ended because the blob store or the machine was out of order.';
comment on column transfers.cancel_requested_at is 'Null: nobody has cancelled it.';
comment on column transfers.progress is 'Percent; 100 only if completed.';
comment on column transfers.phase is 'What the running attempt does, for people.';
comment on column transfers.records_skipped is
  'Records that could not be read; their places are in `bad_records_blob`.';
comment on column transfers.error_message is 'Sentence for the user; `Cancelled.` if it was cancelled.';
comment on column transfers.output_dataset_id is 'Dataset that it made or changed.';
comment on column transfers.output_blob is
  'Name in the blob store: of an export the file to download; deleted after its time.';
comment on column transfers.receipt is 'Names input and output with checksums, and what was changed or dropped.';
comment on column transfers.memory_mb is 'Megabytes that it needs.';
comment on column transfers.cores is 'CPU cores that it needs. Null: the default.';
comment on column transfers.bad_records_blob is
  'GeoJSON of the places of skipped records, in the blob store. Kept as long as an export.';
comment on column transfers.carry is 'Moves or copies a dataset without converting it. Null: a conversion.';
comment on column transfers.source_tenant_id is
  'Tenant of the dataset that is moved or copied. `tenant_id` is that of the destination.';
comment on column transfers.source_project_id is 'Project of the dataset that is moved or copied.';
comment on column transfers.source_id is
  '`remote_sources.id` of the remote input, without a foreign key: the transfer outlives the address. Null: the '
  'input is not remote.';
comment on column transfers.flags is
  'What it needs of a worker beyond the minimum of every transfer, sorted, such as {label:gpu=a100,memory:4096}: '
  'the flags of its queue row.';
comment on column transfers.virtual_time is
  'Place in weighted fair queueing: virtual microseconds (sequence `virtual_clock`). The lowest starts first.';
comment on column transfers.fingerprint is
  'Hash of type, reader, writer and message without names, ids, paths and numbers: equal for failures of one kind. '
  'Null: not failed, or cancelled.';
comment on column transfers.traceparent is 'W3C Trace Context of the request.';
comment on column transfers.handed_back is
  'Attempts that a stopping worker returned. They are not part of the number of attempts that is shown.';
comment on column transfers.requested_flags is 'The flags that the request names, without estimated ones. Null: none.';
comment on column transfers.output_media_type is
  'Media type of the export, where the format has several. Null: the format decides.';
comment on column transfers.share_id is
  '`dataset_shares.id` of the link whose holder started it, without a foreign key: it stays hidden when the link is '
  'gone. Only the link shows it: it is in no list and has no events. Null: an account or API key started it.';
comment on column transfers.price is
  'Price at the start: {fixed, perHour, …}. Null: free. The triggers `reserves_price`, `settles_price` and '
  '`releases_price` book it.';

comment on table transfer_log is 'Log lines of transfers.';

comment on table remote_sources is
  'Addresses of remote files that transfers read. Deleted when the last transfer that needs one has ended; a failed '
  'one needs it for another day, for a retry.';
comment on column remote_sources.sealed is 'The address, encrypted: it may contain passwords and signatures.';

comment on table transfer_counts is
  'Numbers of transfers by tenant, creator and status, for lists. A cache that the triggers `transfers_counted` and '
  '`transfers_counted_anew` fill: they only add rows, so that writers do not wait for each other, and '
  '`compact_transfer_counts` replaces rows by their sums.';
comment on column transfer_counts.count is 'To add to the sum of the other rows; may be negative.';

comment on table workers is
  'Running worker processes. A worker is alive while it holds the advisory lock of its pool. Only a pool with a row '
  'may claim transfers.';
comment on column workers.pool is 'Id that the worker chose at its start.';
comment on column workers.concurrency is 'Transfers at the same time.';
comment on column workers.memory_mb is 'Megabytes for all its transfers.';
comment on column workers.cores is 'CPU cores for all its transfers.';
comment on column workers.scratch_gb is 'Gigabytes of scratch space for all its transfers.';
comment on column workers.reserved_for is '`transfers.id` of the transfer that it keeps capacity free for. Null: none.';
comment on column workers.draining_since is 'It starts no transfer since then. Null: it does.';

comment on table waiting_requirements is
  'Distinct `transfers.flags` of waiting transfers. A cache that the sweep writes every second.';
comment on column waiting_requirements.reason is 'Why no worker can start them now. Null: one can.';

comment on table cluster_views is
  'What dispatchers know of the Kubernetes clusters that they hand transfers to. See `cluster/cluster-view.ts`.';
comment on column cluster_views.name is 'Cluster, namespace and settings: dispatchers of one name share the view.';
comment on column cluster_views.cluster is
  'Server and namespace, as `kubernetes_jobs.cluster`. Null: written by a dispatcher of an older version.';
comment on column cluster_views.trouble is
  'Why no dispatcher hears the cluster, in a sentence. Null: one does, and `nodes` are those of now.';
comment on column cluster_views.settings is 'What dispatchers add to each transfer, and which ones they take.';
comment on column cluster_views.nodes is 'Nodes with what their pods take. Null: the dispatcher may not list them.';
comment on column cluster_views.digest is 'SHA-256 of settings and nodes, by which a dispatcher knows that nothing changed.';
comment on column cluster_views.seen_at is 'When a dispatcher last wrote the row. After a minute it says nothing.';

comment on table transfer_inputs is
  'Files and datasets that a transfer reads besides its first input: files that a mosaic or stack joins, in the '
  'order of `number`, and those that transformations name. Names are in `transfers.request`.';
comment on column transfer_inputs.key is
  'Id or address by which a transformation of `transfers.request` names it. Null: a file that is joined with the '
  'first input.';
comment on column transfer_inputs.staged_blob is '`staged_blobs.name` of an upload.';
comment on column transfer_inputs.source_id is
  '`remote_sources.id` of a remote file, without a foreign key: the transfer outlives the address.';
comment on column transfer_inputs.dataset_id is
  'Dataset, which `dataset_readers` keeps as it is until the transfer ends.';

comment on column workers.hands_over is
  'It hands transfers to a Kubernetes cluster and runs none: `all`, or the `rest` that no worker could take. Null: it '
  'runs transfers.';

comment on column workers.node is
  'Machine that it runs on, where `host` is the name of its pod. Null: `host` is the machine.';
comment on column workers.version is 'Version that it runs. Null: an older one, which did not tell.';
comment on column workers.commit_id is 'Commit of its source. Null: not known.';
comment on column workers.cluster is
  'Server and namespace that it hands transfers to. Null: it hands none over, or has just begun.';

comment on table kubernetes_jobs is
  'Transfers that were handed to a Kubernetes cluster, until they have ended. The Job has the name '
  '`transfer-<transfer_id>-<number>`. It is a wake-up call: its pod claims the transfer as any worker does.';
comment on column kubernetes_jobs.number is 'Counts the Jobs of this transfer.';
comment on column kubernetes_jobs.handed_over_at is 'When the Job `number` was about to be made. Null: there is to be none.';
comment on column kubernetes_jobs.attempt is
  '`transfers.attempt` at that time. A higher one there: the transfer was claimed since, and the Job is used up.';
comment on column kubernetes_jobs.oom_kills is 'Pods that were killed because they used more memory than they have.';
comment on column kubernetes_jobs.failures is 'Jobs in a row that ended before the transfer was claimed.';
comment on column kubernetes_jobs.not_before is 'It is not handed over again before. Null: at once.';
comment on column kubernetes_jobs.reason is
  'Why its pod cannot start, or why it is not handed over, in a sentence. Null: nothing is wrong.';
comment on column kubernetes_jobs.node is 'Node that its pod was given. Null: none yet.';
comment on column kubernetes_jobs.unscheduled is
  'In a sentence with the words of the scheduler: why its pod has no node. Null: it has one, or was just made.';
comment on column kubernetes_jobs.cluster is
  'Server and namespace of the Job, as in `workers.cluster`. Null: it was made before several could be told apart.';
comment on column kubernetes_jobs.failed_with is
  'Hashes of the settings whose pods ended in a way that no further pod mends. A dispatcher with one of them hands the '
  'transfer over no more, unless it was started since.';

comment on table kubernetes_metrics is
  'What dispatchers have counted: handed over transfers with the time that they waited, calls, and Jobs given up.';
comment on column kubernetes_metrics.upper is 'Upper bound of a bucket of a histogram, in seconds. Infinity: a counter.';
comment on column kubernetes_metrics.sum is 'Sum of the values of a histogram, in seconds.';
