import { z } from 'zod';

export const TransferType = z.enum(['Import', 'Export', 'Conversion', 'Update', 'Append']);
export type TransferType = z.infer<typeof TransferType>;

/** How a transfer takes a dataset into another tenant without converting it. */
export const MoveOrCopy = z.enum(['move', 'copy']);
export type MoveOrCopy = z.infer<typeof MoveOrCopy>;

const values = z.record(z.string(), z.unknown());

/** Members of legacy requests that answers repeat. The parameters and transformations hold their meaning. */
export const LegacyWords = z.object({
  srid: z.union([z.number(), z.string()]).optional(),
  arguments: z.union([z.array(z.object({ name: z.string(), value: z.unknown().optional() })), values]).optional(),
  /** Has no effect here. */
  destinations: z.array(z.string()).optional(),
});
export type LegacyWords = z.infer<typeof LegacyWords>;

/** The request as it is stored with the transfer: canonical names, converted values, no secrets. */
export const AcceptedRequest = z.object({
  readerName: z.string(),
  writerName: z.string(),
  readerParameters: values,
  writerParameters: values,
  transformations: z.array(z.unknown()),
  onBadRecord: z.enum(['fail', 'skip']).optional(),
  /** Name of the input file. */
  inputName: z.string(),
  /** Address of the input file, without its query. */
  uploadUrl: z.string().optional(),
  /** All files that are joined into one, the first one included. */
  inputs: z.array(z.object({ name: z.string(), uploadUrl: z.string() })).optional(),
  /** Files and datasets that transformations name, by the id or address in them. */
  sideInputs: z.array(z.object({ key: z.string(), name: z.string() })).optional(),
  /** The new dataset. */
  output: z
    .object({ name: z.string(), description: z.string().optional(), metadata: values, properties: values })
    .optional(),
  /** Blob of the dataset that it rewrites: the indices in its transformations hold for no other content. */
  content: z.string().optional(),
  /** Name of the exported file. */
  outputFileName: z.string().optional(),
  storageSizeGb: z.number().optional(),
  requiredLabels: z.array(z.string()).optional(),
  maxCredits: z.number().optional(),
  /** Stored under this name since before such clients were called legacy. */
  older: LegacyWords.optional(),
});
export type AcceptedRequest = z.infer<typeof AcceptedRequest>;
