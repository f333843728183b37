import type { BlobStore } from '../../blobs/blobs.ts';
import type { Database, Transaction } from '../../db.ts';

/** What contradicts a rule. */
export interface Violation {
  /** Of the row, blob or constraint; the same at each check. */
  id: string;
  message: string;
}

export interface RuleParts {
  readonly db: Database;
  readonly store: BlobStore;
  /** Whether all bytes of all blobs are read; else those of a sample. */
  readonly readsAll: boolean;
  /** Ids that a second check looks at. A rule may check others as well. */
  readonly only?: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/** Something that is true of a sound platform at every moment. */
export interface Rule {
  readonly name: string;
  find(parts: RuleParts): Promise<readonly Violation[]>;
  /** Derives anew what is wrong, from what is the truth. Absent: that cannot be derived. */
  repair?(tx: Transaction, ids: readonly string[]): Promise<unknown>;
}
