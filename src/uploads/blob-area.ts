import type { BlobInfo } from '../blobs/blobs.ts';

/** A presented grant with a valid signature. */
export interface PresentedGrant {
  /** Generation in which the grant was signed. */
  generation: number;
  /** Id of the account or API key that issued it. */
  issuer: string;
  /** Only for a folder grant: id of the folder. */
  folder?: string;
}

/** Preconditions of a write. */
export interface WriteConditions {
  /** `If-None-Match: *`: the blob must not exist. */
  onlyNew: boolean;
  /** `If-Match`: the current ETag. */
  etag?: string;
  /** `If-Match: *`: the blob must exist. */
  onlyExisting?: true;
  /** What the name of the blob ends with, so that a repetition of the write is recognised. */
  mark?: string;
  /** Grant of the writer, which must still be valid when all bytes have arrived. */
  grant?: PresentedGrant;
}

/** Implementation of the blob addresses of an area. */
export interface BlobArea {
  /** Current name in the blob store, or undefined if there is no content. */
  find(name: string): Promise<string | undefined>;
  /** Whether a grant is currently valid for the address: not revoked, and its issuer may still read or write. */
  accepts(name: string, grant: PresentedGrant, permission: 'r' | 'w'): Promise<boolean>;
  /** Absent for a read-only area. */
  writing?: {
    /** Throws unless the blob may be written now. Called before the body is read. */
    check(name: string, conditions?: WriteConditions): Promise<void>;
    /** Called after each block of an upload. */
    blockWritten?(name: string): Promise<void>;
    /** Lets `store` write the bytes under a new name, checks again, and makes them the content in one step. */
    write(name: string, conditions: WriteConditions, store: (blob: string) => Promise<BlobInfo>): Promise<BlobInfo>;
  };
}
