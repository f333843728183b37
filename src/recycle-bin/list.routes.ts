import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { datasetTexts } from '../datasets/list.queries.ts';
import { type DatasetRow, toDataset } from '../datasets/record.ts';
import type { Database } from '../db.ts';
import { notFound } from '../errors.ts';
import { type Part, sendList } from '../http/answers/long-list.ts';
import { publicBase } from '../http/answers/public-base.ts';
import type { Caller } from '../http/caller.ts';
import { type App, Routes } from '../http/route.ts';
import { idParam } from '../http/rules/forms.ts';
import { listOf, offsetPage, offsetPageOf, offsetQuery } from '../http/rules/paging.ts';
import { queryEnum } from '../http/rules/query.ts';
import { findContainer } from './item.queries.ts';
import {
  type BinPage,
  countItems,
  deletedBy,
  inProject,
  inTenant,
  listDeletedDatasets,
  listDeletedProjects,
  listItems,
  type Selection,
} from './list.queries.ts';
import { findDeletionAccess } from './privilege.queries.ts';
import { BinItem, DeletedDataset, DeletedProjectItem, type ItemType } from './record.ts';

export interface BinLists {
  db: Database;
  publicUrl: string | undefined;
  /** Setting `recycleBin.retention` in milliseconds. */
  retention: number;
}

const Query = z.object({
  sortBy: queryEnum(['Name', 'DeletedAt', 'StorageSize']).optional().describe('Sort key.'),
  sortOrder: queryEnum(['Asc', 'Desc']).optional().describe('`Asc` or `Desc`.'),
  ...offsetQuery,
});

/** Newest deletions first by default. */
const toBinPage = ({ sortBy, sortOrder, ...window }: z.output<typeof Query>): BinPage => ({
  sortBy: sortBy ?? 'DeletedAt',
  sortOrder: sortOrder ?? (sortBy === undefined ? 'Desc' : 'Asc'),
  ...window,
});

export async function binListRoutes(app: App, { db, publicUrl, retention }: BinLists) {
  const routes = new Routes(app, { access: 'signedIn', service: 'recycleBin', tags: ['recycle bin'] });

  const all = 'Returns the whole list unless `limit` is set. Newest deletions first unless `sortBy` is set.';

  const itemPage = (query: z.output<typeof Query>, selection: Selection) =>
    offsetPage(
      query,
      () => countItems(db, selection),
      (offset, limit) => listItems(db, selection, { ...toBinPage(query), offset, limit }, retention),
    );
  const ofTenant = async (caller: Caller, itemType?: ItemType) =>
    inTenant(caller, await findDeletionAccess(db, caller, caller.tenantId), itemType);
  async function ofProject(caller: Caller, id: string, itemType: ItemType) {
    const project = await findContainer(db, caller, id);
    if (!project) throw notFound('Project', id);
    return inProject(caller, await findDeletionAccess(db, caller, project.tenantId), project, itemType);
  }
  const projects = (reply: FastifyReply, query: z.output<typeof Query>, selection: Selection) => {
    const list = {
      item: DeletedProjectItem,
      rows: (part: Part) => listDeletedProjects(db, selection, toBinPage(query), part),
      show: (row: z.output<typeof DeletedProjectItem>) => row,
    };
    return sendList(reply, list, query);
  };
  const datasets = (
    request: FastifyRequest,
    reply: FastifyReply,
    query: z.output<typeof Query>,
    selection: Selection,
  ) => {
    const base = publicBase(publicUrl, request);
    const list = {
      item: DeletedDataset,
      freeForm: datasetTexts(db),
      rows: (part: Part) => listDeletedDatasets(db, selection, toBinPage(query), part),
      show: (row: z.output<typeof DatasetRow>) => ({ ...row, ...toDataset(row, base) }),
    };
    return sendList(reply, list, query);
  };

  routes.get('/api/recycle-bin/my-deleted-items', {
    operationId: 'listMyDeletedItems',
    summary: 'Lists items that the caller deleted, in all tenants',
    querystring: Query,
    response: { 200: offsetPageOf(BinItem) },
    handler: async ({ caller, query }) => itemPage(query, deletedBy(caller)),
  });

  routes.get('/api/recycle-bin/all-deleted-items', {
    operationId: 'listAllDeletedItems',
    summary: "Lists items in the tenant's recycle bin that the caller may delete",
    querystring: Query,
    response: { 200: offsetPageOf(BinItem) },
    handler: async ({ caller, query }) => itemPage(query, await ofTenant(caller)),
  });

  routes.get('/api/recycle-bin/project/list', {
    operationId: 'listRecycleBinProjects',
    summary: 'Lists deleted projects and subprojects of the tenant',
    description: all,
    querystring: Query,
    response: { 200: listOf(DeletedProjectItem) },
    handler: async ({ caller, query }, reply) => projects(reply, query, await ofTenant(caller, 'Project')),
  });

  routes.get('/api/recycle-bin/project/:id/subprojects', {
    operationId: 'listDeletedSubprojects',
    summary: 'Lists deleted direct subprojects of a project, which may be deleted itself',
    description: all,
    params: idParam('project'),
    querystring: Query,
    response: { 200: listOf(DeletedProjectItem) },
    handler: async ({ caller, params, query }, reply) =>
      projects(reply, query, await ofProject(caller, params.id, 'Project')),
  });

  routes.get('/api/recycle-bin/dataset/list', {
    operationId: 'listRecycleBinDatasets',
    summary: 'Lists deleted datasets of the tenant',
    description: all,
    querystring: Query,
    response: { 200: listOf(DeletedDataset) },
    handler: async (request, reply) => {
      const { caller, query } = request;
      return datasets(request, reply, query, await ofTenant(caller, 'Dataset'));
    },
  });

  routes.get('/api/recycle-bin/project/:id/dataset/list', {
    operationId: 'listRecycleBinProjectDatasets',
    summary: 'Lists deleted datasets directly in a project, which may be deleted itself',
    description: all,
    params: idParam('project'),
    querystring: Query,
    response: { 200: listOf(DeletedDataset) },
    handler: async (request, reply) => {
      const { caller, params, query } = request;
      return datasets(request, reply, query, await ofProject(caller, params.id, 'Dataset'));
    },
  });
}
