import { clientLeft } from '../../http/answers/client-left.ts';
import { idParam } from '../../http/rules/forms.ts';
import { shareOf } from '../../http/rules/signed-link.ts';
import { type OpenParts, openedBy } from '../../shares/open.ts';
import { errorOfLink, tokenParam, unlisted } from '../../shares/public-route-parts.ts';
import { DATASET_PATH, TAGS } from '../route-parts.ts';
import { namingDataset, type RightParts, requestedDataset, tileRequest } from '../serve.ts';
import type { BasemapPlace } from './layers.routes.ts';

/** Below the map of a dataset: for a caller who may read it, or the holder of a signed link to it. */
export const belowDataset = (parts: RightParts): BasemapPlace => ({
  path: `${DATASET_PATH}/basemap`,
  params: idParam('dataset'),
  config: { access: 'signedIn', service: 'tiles', signedLinks: true, tags: TAGS },
  named: { operation: '', summary: 'a dataset' },
  failure: namingDataset,
  async ask(request, reply) {
    const { id } = request.params as { id: string };
    const { dataset } = await requestedDataset(parts, request, id, 'now');
    return tileRequest(request, reply, dataset);
  },
});

/** Below the map of the dataset of a link: whoever has the token needs no account. */
export const belowShared = (parts: OpenParts): BasemapPlace => ({
  path: '/api/share/:token/preview/basemap',
  params: tokenParam,
  config: { access: 'public', service: 'none', tags: ['shares'] },
  named: { operation: 'Shared', summary: 'the dataset of a link' },
  onRequest: unlisted,
  failure: (error, request) => errorOfLink(namingDataset(error, request)),
  async ask(request, reply) {
    const { share } = await openedBy(parts, request);
    return { tenant: shareOf({ signature: new URLSearchParams() }, share.datasetId), signal: clientLeft(reply) };
  },
});
