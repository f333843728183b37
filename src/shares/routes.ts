import { z } from 'zod';
import type { Database } from '../db.ts';
import { noStore } from '../http/answers/no-store.ts';
import { publicBase } from '../http/answers/public-base.ts';
import { type App, Routes } from '../http/route.ts';
import { chosenName } from '../http/rules/chosen-names.ts';
import { idParam, uuidParam } from '../http/rules/forms.ts';
import { component, createdAt, createdBy, number, text, textUpTo, timeText, uuidText } from '../http/rules/members.ts';
import { listOf, offsetQuery } from '../http/rules/paging.ts';
import { queryEnum } from '../http/rules/query.ts';
import { createShare, endShare, listDatasetShares, listOwnTenantShares } from './manage.ts';
import { DOWNLOADS } from './queries.ts';

export interface ShareRoutes {
  db: Database;
  publicUrl: string | undefined;
  /** Setting `shares.allowed`. */
  allowed: boolean;
}

const DOWNLOADS_TEXT =
  'What the link lets its holder take: `None`; `Original`, the stored file; `Formats`, also files of other formats.';
const common = {
  id: uuidText('Id of the link.'),
  datasetId: uuidText('Id of the dataset.'),
  name: text('What the link is for; its holders do not see it.', 'Consultants').optional(),
  createdBy,
  createdAt,
  expiresAt: timeText('Time when the link expires, UTC.'),
  downloads: text(DOWNLOADS_TEXT, 'Original'),
  opens: number('Browsers that opened it, each counted once a day.', 12),
};
const NewShare = component('NewShare', {
  ...common,
  url: text(
    'Address of the link: a page for people. Programs read `/api/share/{token}`. Only this answer contains it.',
    'https://platform.example/s/…',
  ),
});
export type NewShare = z.infer<typeof NewShare>;
const Share = component('Share', {
  ...common,
  lastOpenedAt: timeText('Time when a browser was counted last, UTC.').optional(),
  endedAt: timeText('Time when somebody ended it, UTC. Absent: it ends when it expires.').optional(),
  endedBy: uuidText('User id of who ended it.').optional(),
});
export type Share = z.infer<typeof Share>;
const TenantShare = Share.extend({ datasetName: text('Name of the dataset.', 'Valley') }).meta({ id: 'TenantShare' });
export type TenantShare = z.infer<typeof TenantShare>;

/** Links to datasets, for those who may grant access to them. */
export async function shareRoutes(app: App, { db, publicUrl, allowed }: ShareRoutes) {
  const routes = new Routes(app, { access: 'signedIn', service: 'metadata', tags: ['shares'] });

  routes.post('/api/metadata/dataset/:id/share', {
    operationId: 'createShare',
    summary: 'Makes a link by which anybody who has it sees the dataset; only this answer contains the address',
    description:
      'Needs canGrantAccess. The link ends when it expires, when somebody ends it, when the dataset is deleted (until it is ' +
      'restored) or gets into another tenant, and while its creator lacks canGrantAccess or an account. 403 `SharesNotAllowed`: ' +
      'the setting `shares.allowed` is off. 409 `TooManyShares`: 100 links of the dataset are open.',
    params: idParam('dataset'),
    body: component('NewShareBody', {
      name: chosenName().optional().meta({ description: 'What the link is for.', example: 'Consultants' }),
      expiresAt: textUpTo(100, 'Time of expiry, UTC. Default: 30 days; at most a year.', '2027-01-01').optional(),
      downloads: queryEnum(DOWNLOADS).optional().describe(`${DOWNLOADS_TEXT} Default: \`None\`.`),
    }),
    response: { 201: NewShare },
    config: { secretAnswer: true },
    onRequest: noStore,
    handler: async (request) => {
      const { downloads = 'None', ...rest } = request.body;
      const made = await createShare({ db, allowed }, request.caller, request.params.id, { ...rest, downloads });
      const { token, ...share } = made;
      return { ...share, url: `${publicBase(publicUrl, request)}/s/${token}` };
    },
  });

  routes.get('/api/metadata/dataset/:id/share', {
    operationId: 'listShares',
    summary: 'Lists the links of a dataset, newest first',
    description: 'Needs canGrantAccess. Links that ended or expired more than 90 days ago are not kept.',
    params: idParam('dataset'),
    querystring: z.object(offsetQuery),
    response: { 200: listOf(Share) },
    handler: async ({ caller, params, query }) => ({
      data: [...(await listDatasetShares(db, caller, params.id, query))],
    }),
  });

  routes.get('/api/iam/share', {
    operationId: 'listTenantShares',
    summary: 'Lists the links of all datasets of the tenant, newest first (tenant Owners)',
    querystring: z.object(offsetQuery),
    response: { 200: listOf(TenantShare) },
    config: { service: 'iam' },
    handler: async ({ caller, query }) => ({ data: [...(await listOwnTenantShares(db, caller, query))] }),
  });

  routes.delete('/api/metadata/share/:shareId', {
    operationId: 'deleteShare',
    summary: 'Ends a link at once',
    description: 'Needs canGrantAccess. Ending a link that has ended changes nothing.',
    params: z.object({ shareId: uuidParam().describe('Id of the link.') }),
    response: { 204: z.null() },
    handler: ({ caller, params }) => endShare(db, caller, params.shareId),
  });
}
