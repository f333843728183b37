import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { PREFER } from '../../http/openapi/headers.ts';
import { type App, Routes } from '../../http/route.ts';
import { chosenName } from '../../http/rules/chosen-names.ts';
import { eumItemText, eumUnitText } from '../../http/rules/eum.ts';
import { idParam, uuidParam } from '../../http/rules/forms.ts';
import { afterCommit } from '../../http/rules/idempotency.ts';
import { component, rowVersion } from '../../http/rules/members.ts';
import { MAX_WAIT_S, preferredWait } from '../../http/rules/prefer.ts';
import { queryInteger } from '../../http/rules/query.ts';
import type { Starts } from '../../transfers/plugin.ts';
import { findSummary, findTransfer, Summary } from '../../transfers/queries.ts';
import { Started, StartQuery } from '../../transfers/starts/bodies.ts';
import { answerStart } from '../../transfers/starts/start-route.ts';
import { MultidimensionalDataset } from '../answers.ts';
import { type StoreParts, withDataset } from '../dataset.ts';
import { describe } from '../describe.ts';
import { deleteStep, redefineItem } from './changes.ts';

const MOST = 2 ** 31 - 1;

const ItemChange = component('MdItemChange', {
  name: chosenName().optional().meta({ description: 'Name of the item.', example: 'Water level' }),
  unit: eumUnitText().optional(),
  item: eumItemText().optional(),
  rowVersion: rowVersion.optional(),
});

/** Changes of multidimensional datasets as existing clients ask for them. Signed links do not change content. */
export async function changeRoutes(app: App, { starts, ...parts }: StoreParts & { starts: Starts }) {
  const routes = new Routes(app, { access: 'signedIn', service: 'md', tags: ['multidimensional data'] });

  routes.patch('/api/md/dataset/:id/item/:index', {
    operationId: 'changeMdItem',
    summary: 'Changes name, unit or quantity of an item of a multidimensional dataset',
    description: [
      'Absent members stay, and so do the values: another unit does not convert them.',
      `A transfer writes the change. The answer waits for its end, at most ${MAX_WAIT_S} seconds or as long as \`Prefer: wait\` says; then it is 202 with the transfer.`,
    ].join(' '),
    params: z.object({
      id: uuidParam().describe('Id of the dataset.'),
      index: queryInteger(0, MOST).meta({ description: 'Index of the item, from 0.', example: 0 }),
    }),
    body: ItemChange,
    response: { 200: MultidimensionalDataset, 202: Summary },
    config: { limit: 'heavy', described: { parameters: [PREFER] } },
    handler: async (request, reply) => {
      const { caller, params, body } = request;
      const { id, index } = params;
      const described = () =>
        withDataset(parts, { caller }, id, async (dataset, { name }) => ({ id, name, ...describe(dataset) }));
      const started = await redefineItem({ ...parts, starts }, caller, { id, index, ...body });
      if (started === undefined) return described();
      const time = preferredWait(request, reply) ?? MAX_WAIT_S * 1000;
      reply.code(202);
      const ended = await afterCommit(request, reply, started, async () => {
        await starts.endWaiter.wait(started.id, time);
        return findTransfer(parts.db, caller, started.id);
      });
      if (ended?.status === 'Error')
        throw new AppError('unprocessable', `Transfer '${started.id}' failed: ${ended.errorMessage}`, {
          code: 'TransferFailed',
        });
      if (ended?.status !== 'Completed') return reply.send(await findSummary(parts.db, started.id));
      reply.code(200);
      return described();
    },
  });

  routes.delete('/api/md/dataset/:id/timestep', {
    operationId: 'deleteMdTimestep',
    summary: 'Starts a transfer that removes a step from a multidimensional dataset',
    description:
      'All items lose the step; steps after it get the next lower index. Readers get the old content until the transfer has ended.',
    params: idParam('dataset'),
    querystring: StartQuery.extend({
      timestepIndex: queryInteger(0, MOST).meta({ description: 'Index of the step, from 0.', example: 0 }),
      rowVersion: rowVersion.optional(),
    }),
    response: { 202: Started },
    config: { described: { parameters: [PREFER] } },
    handler: async (request, reply) => {
      const { caller, params, query } = request;
      const { timestepIndex: index, rowVersion: expected, dryRun = false } = query;
      const change = { id: params.id, index, rowVersion: expected };
      return answerStart(starts, request, reply, await deleteStep({ ...parts, starts }, caller, change, dryRun));
    },
  });
}
