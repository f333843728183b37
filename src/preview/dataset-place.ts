import { publicBase } from '../http/answers/public-base.ts';
import { idParam } from '../http/rules/forms.ts';
import { readAsker, shareOf } from '../http/rules/signed-link.ts';
import { type RightParts, requestedDataset } from '../tiles/serve.ts';
import type { PreviewPlace } from './place.ts';
import { drawingError } from './subject.ts';

export const DATASET_PATH = '/api/preview/dataset/:id';
export const DATASET_CONFIG = { access: 'signedIn', service: 'tiles', tags: ['tiles'] } as const;

export interface DatasetPreviews extends RightParts {
  readonly publicUrl: string | undefined;
}

/** Previews of datasets, for those who may read them and for the holders of signed links. */
export const datasetPlace = (parts: DatasetPreviews): PreviewPlace => ({
  path: DATASET_PATH,
  params: idParam('dataset'),
  config: { ...DATASET_CONFIG, tags: [...DATASET_CONFIG.tags], signedLinks: true, responseCache: true },
  named: { operation: '', summary: 'a dataset' },
  note: 'Needs the right to read the dataset, or a signed link.',
  failure: drawingError,
  answered: (request, reply) => parts.responses.answerAllowed(request, reply),
  async subject(request, checked) {
    const { id } = request.params as { id: string };
    const { dataset, signature } = await requestedDataset(parts, request, id, checked);
    const base = `${publicBase(parts.publicUrl, request)}${DATASET_PATH.replace(':id', id)}`;
    return { dataset, base, signature, share: shareOf(readAsker(request), id) };
  },
});
