import type { BlobInfo } from '../blobs/blobs.ts';

/** A grant whose signature is right. */
export interface ShownGrant {
  /** In which it was signed. */
  generation: number;
  /** Of a folder's grant. */
  folder?: string;
}

/** What must hold of a place before it is written. */
export interface WriteConditions {
  /** `If-None-Match: *`. */
  onlyNew: boolean;
  /** `If-Match`. */
  etag?: string;
  /** `If-Match: *`: something must be there. */
  onlyThere?: true;
  /** Shown by who writes: it must still count when the bytes have come. */
  grant?: ShownGrant;
}

/** What stands behind the blob addresses of an area. */
export interface Place {
  /** Name in the store of the bytes at this moment; undefined when they are not there (any more). */
  find(name: string): Promise<string | undefined>;
  /** Whether a grant counts for the address now. Absent: one of the address itself always does, one of a folder never. */
  accepts?(name: string, grant: ShownGrant): Promise<boolean>;
  /** Absent: nothing is put here. */
  writing?: {
    /** Throws unless the place may be written now; asked before any byte is read. */
    check(name: string, conditions?: WriteConditions): Promise<void>;
    /**
     * Fills the place with the bytes that `store` puts under the name it is given. They become the place's bytes only if it may still be
     * written when they are all there.
     */
    write(name: string, conditions: WriteConditions, store: (blob: string) => Promise<BlobInfo>): Promise<BlobInfo>;
  };
}
