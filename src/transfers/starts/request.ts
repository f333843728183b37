import { z } from 'zod';

export const TransferType = z.enum(['Import', 'Export', 'Conversion', 'Update', 'Append']);
export type TransferType = z.infer<typeof TransferType>;

/** What a transfer does that takes a dataset elsewhere as it is, instead of converting it. */
export const Carry = z.enum(['move', 'copy']);
export type Carry = z.infer<typeof Carry>;

const values = z.record(z.string(), z.unknown());

/** What older clients say and want to hear again: in other words it stands in the parameters and transformations. */
export const OlderWords = z.object({
  srid: z.union([z.number(), z.string()]).optional(),
  arguments: z.union([z.array(z.object({ name: z.string(), value: z.unknown().optional() })), values]).optional(),
  /** Of those clients' platform; nothing follows from them here. */
  destinations: z.array(z.string()).optional(),
});
export type OlderWords = z.infer<typeof OlderWords>;

/** What was asked for, as accepted and kept with the transfer: names as declared, values converted, nothing secret. */
export const AcceptedRequest = z.object({
  readerName: z.string(),
  writerName: z.string(),
  readerParameters: values,
  writerParameters: values,
  transformations: z.array(z.unknown()),
  onBadRecord: z.enum(['fail', 'skip']).optional(),
  /** Name of the file that is read. */
  inputName: z.string(),
  /** Imports: where it was put, without query. */
  uploadUrl: z.string().optional(),
  /** The dataset to be made. */
  output: z
    .object({ name: z.string(), description: z.string().optional(), metadata: values, properties: values })
    .optional(),
  /** Name of the file to be made for downloading. */
  outputFileName: z.string().optional(),
  storageSizeGb: z.number().optional(),
  requiredLabels: z.array(z.string()).optional(),
  older: OlderWords.optional(),
});
export type AcceptedRequest = z.infer<typeof AcceptedRequest>;
