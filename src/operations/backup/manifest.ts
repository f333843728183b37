import { hash } from 'node:crypto';
import { z } from 'zod';

/** A file of a backup: Zstandard of lines. */
const Packed = z.object({
  /** Number of lines. */
  rows: z.number(),
  /** Bytes of the file, and their SHA-256. */
  size: z.number(),
  sha256: z.string(),
});
export type Packed = z.infer<typeof Packed>;

/** A blob that the state of the database names. */
export const BlobEntry = z.object({
  name: z.string(),
  size: z.number(),
  /** XXH3 of the bytes as the database knows it. Absent: it did not. */
  digest: z.string().optional(),
  sha256: z.string(),
});
export type BlobEntry = z.infer<typeof BlobEntry>;

/** What belongs to a backup. Written at its beginning, and again at its end. */
export const Manifest = z.object({
  format: z.literal(1),
  id: z.string(),
  /** What was committed before this time is in the backup. ISO 8601. */
  time: z.string(),
  /** `unfinished`: it is being made, or was stopped. `incomplete`: blobs are missing. */
  state: z.enum(['unfinished', 'incomplete', 'complete']),
  /** Identity of the database. */
  database: z.string(),
  /** Id of the secret key that encrypts the keys in the database. */
  secretKey: z.string().optional(),
  migrations: z.array(z.object({ name: z.string(), sha256: z.string() })),
  tables: z.array(Packed.extend({ name: z.string(), columns: z.array(z.string()) })),
  sequences: z.array(z.object({ name: z.string(), value: z.string() })),
  /** Jobs of the queue. */
  jobs: Packed.optional(),
  /** List of `BlobEntry`. */
  blobs: Packed.optional(),
  blobBytes: z.number(),
  /** Named blobs that are not in the backup, and why. */
  missing: z.array(z.object({ name: z.string(), reason: z.string() })),
});
export type Manifest = z.infer<typeof Manifest>;

const Envelope = z.object({ sha256: z.string(), manifest: z.unknown() });

/** The manifest with its digest, so that a changed one is noticed. */
export const encodeManifest = (manifest: Manifest): string =>
  `${JSON.stringify({ sha256: hash('sha256', JSON.stringify(manifest)), manifest })}\n`;

/** Undefined if the text is no manifest, or was changed. */
export function decodeManifest(text: string): Manifest | undefined {
  try {
    const { sha256, manifest } = Envelope.parse(JSON.parse(text));
    if (sha256 !== hash('sha256', JSON.stringify(manifest))) return undefined;
    return Manifest.parse(manifest);
  } catch {
    return undefined;
  }
}

/** Names of the parts of a backup in its store. */
export const manifestName = (id: string) => `backup/${id}.json`;
export const tableName = (id: string, table: string) => `table/${id}.${table}.zst`;
/** Hyphens are in no name of a table. */
export const JOBS = 'queue-jobs';
export const BLOB_LIST = 'blob-list';
export const blobName = (sha256: string) => `blob/${sha256}`;
