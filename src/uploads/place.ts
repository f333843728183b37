import type { BlobInfo } from '../blobs/blobs.ts';

/** What must hold of a place before it is written. */
export interface WriteConditions {
  /** `If-None-Match: *`. */
  onlyNew: boolean;
  /** `If-Match`. */
  etag?: string;
  /** `If-Match: *`: something must be there. */
  onlyThere?: true;
  /** `grantsFrom` when the grant was looked at: another one by now, and it is good for nothing any more. */
  grantsFrom?: Date | undefined;
}

/** What stands behind the blob addresses of an area. */
export interface Place {
  /** Name in the store of the bytes at this moment; undefined when they are not there (any more). */
  find(name: string): Promise<string | undefined>;
  /** Whether the address lies below the folder whose grant is shown. Absent: a folder's grant is good for nothing here. */
  liesBelow?(name: string, folder: string): Promise<boolean>;
  /** When grants of the address began to count; undefined: all do. Absent: all always do. */
  grantsFrom?(name: string): Promise<Date | undefined>;
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
