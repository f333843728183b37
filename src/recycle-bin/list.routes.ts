import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { datasetTexts } from '../datasets/list.queries.ts';
import type { DatasetRow } from '../datasets/record.ts';
import { datasetOf } from '../datasets/record.ts';
import type { Db } from '../db.ts';
import { notFound } from '../errors.ts';
import type { Part } from '../http/answers/long-list.ts';
import { sendList } from '../http/answers/long-list.ts';
import { publicBase } from '../http/answers/public-base.ts';
import type { Caller } from '../http/caller.ts';
import type { App } from '../http/route.ts';
import { Id } from '../http/rules/forms.ts';
import { listOf, offsetPage, offsetPageOf, offsetQuery } from '../http/rules/paging.ts';
import { queryEnum } from '../http/rules/query.ts';
import { findContainer } from './item.queries.ts';
import type { BinPage, Selection } from './list.queries.ts';
import {
  countItems,
  deletedBy,
  inProject,
  inTenant,
  listDeletedDatasets,
  listDeletedProjects,
  listItems,
} from './list.queries.ts';
import { findStanding } from './privilege.queries.ts';
import type { ItemType } from './record.ts';
import { BinItem, DeletedDataset, DeletedProjectItem } from './record.ts';

export interface BinLists {
  db: Db;
  publicUrl: string | undefined;
}

const Query = z.object({
  sortBy: queryEnum(['Name', 'DeletedAt', 'StorageSize']).optional(),
  sortOrder: queryEnum(['Asc', 'Desc']).optional(),
  ...offsetQuery,
});

/** Newest first, unless something is said. */
const pageOf = ({ sortBy, sortOrder, ...window }: z.output<typeof Query>): BinPage => ({
  sortBy: sortBy ?? 'DeletedAt',
  sortOrder: sortOrder ?? (sortBy === undefined ? 'Desc' : 'Asc'),
  ...window,
});

export async function binListRoutes(app: App, { db, publicUrl }: BinLists) {
  const config = { access: 'signedIn', service: 'recycleBin' } as const;
  const tags = ['recycle bin'];
  const all = 'All of them, unless `limit` is sent; newest deletions first, unless `sortBy` is.';

  const itemPage = (query: z.output<typeof Query>, selection: Selection) =>
    offsetPage(
      query,
      () => countItems(db, selection),
      (offset, limit) => listItems(db, selection, { ...pageOf(query), offset, limit }),
    );
  const ofTenant = async (caller: Caller, itemType?: ItemType) =>
    inTenant(caller, await findStanding(db, caller, caller.tenantId), itemType);
  async function ofProject(caller: Caller, id: string, itemType: ItemType) {
    const project = await findContainer(db, caller, id);
    if (!project) throw notFound('Project', id);
    return inProject(caller, await findStanding(db, caller, project.tenantId), project, itemType);
  }
  const projects = (reply: FastifyReply, query: z.output<typeof Query>, selection: Selection) => {
    const list = {
      item: DeletedProjectItem,
      rows: (part: Part) => listDeletedProjects(db, selection, pageOf(query), part),
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
      rows: (part: Part) => listDeletedDatasets(db, selection, pageOf(query), part),
      show: (row: z.output<typeof DatasetRow>) => ({ ...row, ...datasetOf(row, base) }),
    };
    return sendList(reply, list, query);
  };

  app.get(
    '/api/recycle-bin/my-deleted-items',
    {
      config,
      schema: {
        tags,
        summary: 'What the caller deleted himself, in any tenant',
        querystring: Query,
        response: { 200: offsetPageOf(BinItem) },
      },
    },
    async ({ caller, query }) => itemPage(query, deletedBy(caller)),
  );

  app.get(
    '/api/recycle-bin/all-deleted-items',
    {
      config,
      schema: {
        tags,
        summary: 'Everything in the bin of the tenant that the caller could have deleted',
        querystring: Query,
        response: { 200: offsetPageOf(BinItem) },
      },
    },
    async ({ caller, query }) => itemPage(query, await ofTenant(caller)),
  );

  app.get(
    '/api/recycle-bin/project/list',
    {
      config,
      schema: {
        tags,
        summary: 'Deleted projects and subprojects of the tenant',
        description: all,
        querystring: Query,
        response: { 200: listOf(DeletedProjectItem) },
      },
    },
    async ({ caller, query }, reply) => projects(reply, query, await ofTenant(caller, 'Project')),
  );

  app.get(
    '/api/recycle-bin/project/:id/subprojects',
    {
      config,
      schema: {
        tags,
        summary: 'Deleted subprojects directly in a project, which may be deleted itself',
        description: all,
        params: Id,
        querystring: Query,
        response: { 200: listOf(DeletedProjectItem) },
      },
    },
    async ({ caller, params, query }, reply) => projects(reply, query, await ofProject(caller, params.id, 'Project')),
  );

  app.get(
    '/api/recycle-bin/dataset/list',
    {
      config,
      schema: {
        tags,
        summary: 'Deleted datasets of all projects of the tenant',
        description: all,
        querystring: Query,
        response: { 200: listOf(DeletedDataset) },
      },
    },
    async (request, reply) => {
      const { caller, query } = request;
      return datasets(request, reply, query, await ofTenant(caller, 'Dataset'));
    },
  );

  app.get(
    '/api/recycle-bin/project/:id/dataset/list',
    {
      config,
      schema: {
        tags,
        summary: 'Deleted datasets directly in a project, which may be deleted itself',
        description: all,
        params: Id,
        querystring: Query,
        response: { 200: listOf(DeletedDataset) },
      },
    },
    async (request, reply) => {
      const { caller, params, query } = request;
      return datasets(request, reply, query, await ofProject(caller, params.id, 'Dataset'));
    },
  );
}
