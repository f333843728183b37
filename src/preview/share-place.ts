import { findServed } from '../datasets/served.queries.ts';
import { publicBase } from '../http/answers/public-base.ts';
import { shareOf } from '../http/rules/signed-link.ts';
import { type OpenParts, openedBy, shareNotFound } from '../shares/open.ts';
import { errorOfLink, ONE_404, tokenParam, unlisted } from '../shares/public-route-parts.ts';
import type { PreviewPlace } from './place.ts';
import { drawingError } from './subject.ts';

const PATH = '/api/share/:token/preview';

export interface SharePreviews extends OpenParts {
  readonly publicUrl: string | undefined;
}

/** Previews of datasets by link: whoever has the token needs no account. The link is checked for each request. */
export const sharePlace = (parts: SharePreviews): PreviewPlace => ({
  path: PATH,
  params: tokenParam,
  config: { access: 'public', service: 'none', tags: ['shares'] },
  named: { operation: 'Shared', summary: 'the dataset of a link' },
  note: ONE_404,
  onRequest: unlisted,
  failure: (error) => errorOfLink(drawingError(error)),
  answered: () => false,
  async subject(request) {
    const { share } = await openedBy(parts, request);
    const dataset = await findServed(parts.db, share.datasetId);
    if (dataset === null) throw shareNotFound();
    const { token } = request.params as { token: string };
    const base = `${publicBase(parts.publicUrl, request)}${PATH.replace(':token', token)}`;
    return { dataset, base, share: shareOf({ signature: new URLSearchParams() }, dataset.id) };
  },
});
