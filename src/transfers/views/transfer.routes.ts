import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Database } from '../../db.ts';
import { forbidden, notFound } from '../../errors.ts';
import { whenClosed } from '../../http/answers/client-left.ts';
import { reauthenticator, StreamSlots, sendEvents, wantsEvents } from '../../http/answers/event-stream.ts';
import { publicBase } from '../../http/answers/public-base.ts';
import { EVENT_STREAM, PREFER } from '../../http/openapi/headers.ts';
import { type App, Routes } from '../../http/route.ts';
import { callerInHeaderTenant, type FindCaller } from '../../http/rules/auth.ts';
import { idParam } from '../../http/rules/forms.ts';
import { cursorPage, cursorPageOf, cursorQuery } from '../../http/rules/paging.ts';
import { preferredWait } from '../../http/rules/prefer.ts';
import { queryEnum } from '../../http/rules/query.ts';
import type { Signer } from '../../platform/keys/signing-keys.ts';
import { signedAddress } from '../../uploads/address.ts';
import { cancelTransfer } from '../ends/cancel.ts';
import { findTransfer, isFinal, LoggedLine, listLog, mayReadContents, Summary, type TransferRow } from '../queries.ts';
import { DryRun, StartQuery } from '../starts/bodies.ts';
import { startRetry } from '../starts/retry.ts';
import type { StartParts } from '../starts/start.ts';
import { followTransfer } from './follow.ts';
import { type Addresses, Transfer, toTransfer } from './record.ts';
import type { Changes } from './transfer-watch.ts';
import type { EndWaiter } from './wait-for-end.ts';

export interface TransferRoutes {
  db: Database;
  changes: Changes;
  endWaiter: EndWaiter;
  /** Authenticates a request again. */
  findCaller: FindCaller;
  announce(id: string): void;
  /** Signs addresses. */
  signer: Signer;
  cursors: Signer;
  publicUrl: string | undefined;
  starts: StartParts;
}

const MAX_STREAMS = { perUser: 200, total: 5000 };

export async function transferRoutes(app: App, parts: TransferRoutes) {
  const routes = new Routes(app, { access: 'signedIn', service: 'conversion', tags: ['transfers'] });
  const { db, changes, endWaiter, findCaller, announce, signer, cursors, publicUrl, starts } = parts;
  const slots = new StreamSlots('transfers', MAX_STREAMS);

  const addressesOf = (request: FastifyRequest): Addresses => {
    const base = publicBase(publicUrl, request);
    return {
      base,
      signExport: (name, grant) =>
        signedAddress(
          signer,
          base,
          { area: 'export', name },
          { permission: 'r', issuer: request.caller.userId, ...grant },
        ),
    };
  };
  async function seen(request: FastifyRequest, id: string) {
    const found = await findTransfer(db, request.caller, id);
    if (!found) throw notFound('Transfer', id);
    return found;
  }
  function stream(request: FastifyRequest, reply: FastifyReply, id: string) {
    const leave = slots.take(request.caller.userId);
    const gone = new AbortController();
    whenClosed(reply, () => {
      leave();
      gone.abort();
    });
    const addresses = addressesOf(request);
    const following = {
      id,
      caller: reauthenticator(request, findCaller),
      show: (row: TransferRow) => toTransfer(row, addresses),
      signal: gone.signal,
    };
    return sendEvents(request, reply, followTransfer(db, changes, following));
  }

  for (const { url, service, ...named } of [
    { url: '/api/conversion/transfer/:id', service: 'conversion', operationId: 'getTransfer' },
    { url: '/api/transfer/:id', service: 'metadata', operationId: 'getTransferLegacy', deprecated: true },
  ] as const) {
    routes.get(url, {
      ...named,
      summary: 'Gets a transfer: status, progress, result, address of an exported file',
      description: [
        '`Prefer: wait=N` delays the answer until the transfer has ended, by at most 60 seconds.',
        'With `Accept: text/event-stream` the answer is a stream with an event now and at every change, until the transfer has ended.',
        '`downloadPath`, `badRecordsUrl` and `receipt` are only for callers who can read the input and the output dataset.',
      ].join(' '),
      params: idParam('transfer'),
      response: { 200: Transfer },
      config: { service, described: { parameters: [PREFER], responses: { 200: EVENT_STREAM } } },
      handler: async (request, reply) => {
        const { id } = request.params;
        let transfer = await seen(request, id);
        if (wantsEvents(request)) return stream(request, reply, id) as never;
        const time = preferredWait(request, reply);
        if (time !== undefined && !isFinal(transfer.status)) {
          await endWaiter.wait(id, time);
          transfer = await seen(request, id);
        }
        return toTransfer(transfer, addressesOf(request));
      },
    });
  }

  routes.post('/api/conversion/transfer/:id/cancel', {
    operationId: 'cancelTransfer',
    summary: 'Cancels a transfer',
    params: idParam('transfer'),
    response: { 202: Summary },
    handler: async (request) => {
      const summary = await cancelTransfer(db, request.caller, request.params.id);
      announce(summary.id);
      return summary;
    },
  });

  routes.post('/api/conversion/transfer/:id/retry', {
    operationId: 'retryTransfer',
    summary: 'Retries a failed transfer, as a new transfer',
    description: 'With `dryRun` it only checks the retry, and answers 200 with what it would cost and warnings.',
    params: idParam('transfer'),
    querystring: StartQuery,
    response: { 200: DryRun, 202: Summary },
    // a move or copy concerns two tenants; other retries are narrowed to one by the header, below
    config: { concernsTenants: true },
    handler: async (request, reply) => {
      const { caller, params, query } = request;
      const dryRun = query.dryRun ?? false;
      const started = await startRetry(starts, callerInHeaderTenant(request), params.id, dryRun, caller);
      return 'valid' in started ? started : reply.code(202).send(started);
    },
  });

  routes.get('/api/conversion/transfer/:id/log', {
    operationId: 'getTransferLog',
    summary: 'Lists the log lines of a transfer, oldest first',
    description: ['`level`: minimum severity.', 'Only for callers who can read the input and the output dataset.'].join(
      ' ',
    ),
    params: idParam('transfer'),
    querystring: z.object({
      level: queryEnum(['debug', 'info', 'warning', 'error']).optional().describe('Log level.'),
      ...cursorQuery,
    }),
    response: { 200: cursorPageOf(LoggedLine) },
    handler: async (request) => {
      const { id } = await seen(request, request.params.id);
      if (!(await mayReadContents(db, request.caller, id)))
        throw forbidden(
          `You cannot read the log of transfer '${id}', because you cannot read its input and output datasets. They may have been deleted.`,
        );
      const { level } = request.query;
      return cursorPage(
        cursors,
        request.query,
        ['transfer log', request.caller.userId, id, level ?? ''],
        (position, limit) => listLog(db, id, { level, after: position?.id, limit }),
        (row) => ({ value: row.time, id: String(row.id) }),
      );
    },
  });
}
