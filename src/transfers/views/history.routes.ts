import { z } from 'zod';
import type { Reads } from '../../db.ts';
import { type App, Routes } from '../../http/route.ts';
import { idParam } from '../../http/rules/forms.ts';
import { component, flag, number, text, timeText, uuidText } from '../../http/rules/members.ts';
import { cursorPageOf, cursorQuery } from '../../http/rules/paging.ts';
import type { Signer } from '../../platform/keys/signing-keys.ts';
import { contentHistory } from './history.ts';

const DatasetContent = component('DatasetContent', {
  time: timeText('Time when it was written, UTC.'),
  by: uuidText('User id of the account, or id of the API key. Absent: the platform.').optional(),
  size: number('Size in bytes; of a content that was replaced, at that time.', 1204).optional(),
  xxh3: text('XXH3 of the bytes, 64 bits, hexadecimal. Absent for time series.', '9f3c1a7e5b20d846').optional(),
  sha256: text('SHA-256 of the bytes, hexadecimal, if a conversion wrote them.').optional(),
  current: flag('The dataset has this content now.'),
  transferId: uuidText('Id of the transfer that wrote it, if the caller may see it.').optional(),
});
export type DatasetContent = z.infer<typeof DatasetContent>;

export async function historyRoutes(app: App, parts: { db: Reads; cursors: Signer }) {
  const routes = new Routes(app, { access: 'signedIn', service: 'metadata', tags: ['datasets'] });
  routes.get('/api/metadata/dataset/:id/history', {
    operationId: 'listDatasetHistory',
    summary: 'Lists the contents that a dataset has had, newest first',
    description:
      'Who wrote which content when: its size, its digest, its transfer. Only the current content can be read. Writes of single values of time series are not listed.',
    params: idParam('dataset'),
    querystring: z.object(cursorQuery),
    response: { 200: cursorPageOf(DatasetContent) },
    handler: ({ caller, params, query }) => contentHistory(parts, caller, params.id, query),
  });
}
