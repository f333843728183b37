import { AppError } from '../../errors.ts';
import type { BlobProblem, NamedBlob } from './digests.queries.ts';

const HOW: Readonly<Record<BlobProblem, string>> = {
  damaged: 'is damaged: its bytes are not those that were written.',
  missing: 'is missing: the blob store does not have its bytes.',
};

/**
 * A blob with references is damaged or missing. Permanent until an operator restores it or a new upload replaces it.
 */
export class ContentDamaged extends AppError {
  readonly #problem: BlobProblem;

  constructor(named: NamedBlob, problem: BlobProblem) {
    super('damaged', describeProblem(named, problem), { code: 'ContentDamaged' });
    this.#problem = problem;
  }

  /** The same error for readers who may not learn the name and id. */
  unnamed(): AppError {
    return new AppError('damaged', `The content ${HOW[this.#problem]}`, { code: 'ContentDamaged' });
  }
}

function describeProblem({ kind, id, title }: NamedBlob, problem: BlobProblem): string {
  const what = {
    dataset: `The content of dataset '${title}' (${id})`,
    upload: `The uploaded file '${id}'`,
    transfer: `The ${title} of transfer '${id}'`,
  }[kind];
  const mended = kind === 'dataset' ? 'Restore it from a backup, or replace it.' : 'Make it again.';
  return `${what} ${HOW[problem]} ${mended}`;
}
