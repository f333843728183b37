import { z } from 'zod';
import { sql, type Transaction } from '../../db.ts';
import { AcceptedRequest, MoveOrCopy, TransferType } from './request.ts';

const Beginnable = z.object({
  type: TransferType,
  tenantId: z.string(),
  projectId: z.string(),
  format: z.string(),
  request: AcceptedRequest,
  stagedBlob: z.string().optional(),
  sourceId: z.string().optional(),
  inputDatasetId: z.string().optional(),
  outputDatasetId: z.string().optional(),
  memoryMb: z.number(),
  cores: z.number().optional(),
  carry: MoveOrCopy.optional(),
  flags: z.array(z.string()),
});
export type Beginnable = z.infer<typeof Beginnable>;

/** The inputs of a transfer besides its first one, in their order. */
export const listInputs = (tx: Transaction, id: string) =>
  tx.any(sql.type(
    z.object({
      key: z.string().optional(),
      stagedBlob: z.string().optional(),
      sourceId: z.string().optional(),
      datasetId: z.string().optional(),
    }),
  )`
    select key, staged_blob, source_id, dataset_id from transfer_inputs where transfer_id = ${id} order by number`);

/** Everything that a transfer was started with. A failed import has no output dataset. */
export const getBeginning = (tx: Transaction, id: string) =>
  tx.one(sql.type(Beginnable)`
    select type, tenant_id, project_id, format, request, staged_blob, source_id, input_dataset_id, output_dataset_id, memory_mb,
      cores::float8 as cores, carry, flags
    from transfers where id = ${id}`);
