import type { Rule } from './rule.ts';
import { blobDeletion } from './rules/blob-deletion.queries.ts';
import { blobBytes, blobPresence } from './rules/blobs.ts';
import { creditHolds } from './rules/credit-holds.queries.ts';
import { datasetLock } from './rules/dataset-lock.queries.ts';
import { datasetReaders } from './rules/dataset-readers.queries.ts';
import { datasetThumbnails } from './rules/dataset-thumbnails.queries.ts';
import { deliveryEvents } from './rules/delivery.queries.ts';
import { eventOffset } from './rules/event-offset.queries.ts';
import { eventPublication } from './rules/event-publication.queries.ts';
import { foreignKeys } from './rules/foreign-keys.queries.ts';
import { grantGeneration } from './rules/grant-generation.queries.ts';
import { inheritedMembers } from './rules/inherited-members.queries.ts';
import { inputLock } from './rules/input-lock.queries.ts';
import { ledger } from './rules/ledger.ts';
import { memberSource } from './rules/member-source.queries.ts';
import { metricsPosition } from './rules/metrics-position.queries.ts';
import { permissionGrants } from './rules/permission-grants.queries.ts';
import { previewContent } from './rules/preview-content.queries.ts';
import { previewStores } from './rules/preview-stores.ts';
import { projectCircle } from './rules/project-circle.queries.ts';
import { projectPath } from './rules/project-path.queries.ts';
import { projectTenant } from './rules/project-tenant.queries.ts';
import { recycleBin } from './rules/recycle-bin.queries.ts';
import { searchEntries } from './rules/search-entries.queries.ts';
import { seriesBlocks } from './rules/series-blocks.queries.ts';
import { seriesExtent } from './rules/series-extent.queries.ts';
import { thumbnails } from './rules/thumbnail.queries.ts';
import { transferCounts } from './rules/transfer-counts.queries.ts';
import { transferFence } from './rules/transfer-fence.queries.ts';
import { transferJob } from './rules/transfer-job.queries.ts';
import { transferOutput } from './rules/transfer-output.queries.ts';
import { transferWorker } from './rules/transfer-worker.queries.ts';

/** In the order in which they are checked: what others are derived from comes first. */
export const RULES: readonly Rule[] = [
  foreignKeys,
  ledger,
  creditHolds,
  projectCircle,
  projectPath,
  projectTenant,
  memberSource,
  inheritedMembers,
  permissionGrants,
  thumbnails,
  datasetThumbnails,
  recycleBin,
  searchEntries,
  seriesExtent,
  seriesBlocks,
  transferWorker,
  transferFence,
  transferOutput,
  transferJob,
  transferCounts,
  datasetLock,
  datasetReaders,
  inputLock,
  eventOffset,
  eventPublication,
  deliveryEvents,
  metricsPosition,
  grantGeneration,
  blobDeletion,
  blobPresence,
  blobBytes,
  previewContent,
  previewStores,
];
