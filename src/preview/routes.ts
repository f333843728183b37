import { z } from 'zod';
import { takenDataset } from '../datasets/access.ts';
import type { Database } from '../db.ts';
import { AppError } from '../errors.ts';
import { type App, Routes } from '../http/route.ts';
import { idParam } from '../http/rules/forms.ts';
import { checkedColours, chosenItem } from './chosen-tile.ts';
import { DATASET_CONFIG, DATASET_PATH } from './dataset-place.ts';
import type { PreviewPlace } from './place.ts';
import { putScheme } from './previews.queries.ts';
import { Scheme, SchemeBody } from './route-forms.ts';
import { drawable, requestOf, type SubjectParts } from './subject.ts';

export interface PreviewChanges extends SubjectParts {
  readonly db: Database;
  readonly place: PreviewPlace;
}

/** What those who may write a dataset can change of its preview. */
export async function previewChangeRoutes(app: App, parts: PreviewChanges) {
  const { db, previews, place } = parts;
  const routes = new Routes(app, { ...DATASET_CONFIG, tags: DATASET_CONFIG.tags });
  app.setErrorHandler((error) => {
    throw place.failure(error);
  });

  routes.put(`${DATASET_PATH}/scheme`, {
    operationId: 'putPreviewScheme',
    summary: 'Sets the item and colours with which the preview of a dataset begins',
    description: 'Needs canUpdateContent. The dataset gets another row version, and a change event names `preview`.',
    params: idParam('dataset'),
    body: SchemeBody,
    response: { 200: Scheme },
    handler: async (request, reply) => {
      const { caller, body, params } = request;
      const subject = await place.subject(request, 'now');
      await db.transaction((tx) => takenDataset(tx, caller, params, 'canUpdateContent'));
      const { description } = await drawable(parts, subject, requestOf(reply, subject));
      const { item, ...colours } = body;
      const { id } = chosenItem(description, item);
      const { steps, ...given } = colours;
      const scheme = { item: id, ...checkedColours({ ...given, ...(steps !== undefined && { steps }) }) };
      await db.transaction(async (tx) => {
        await takenDataset(tx, caller, params, 'canUpdateContent');
        await putScheme(tx, params.id, scheme, caller.userId);
      });
      return scheme;
    },
  });

  routes.post(`${DATASET_PATH}/retry`, {
    operationId: 'retryPreview',
    summary: 'Tries again to read a dataset whose preview has failed',
    description: 'Needs canUpdateContent. 409 `PreviewNotFailed` unless `state` is `failed`.',
    params: idParam('dataset'),
    response: { 202: z.object({ state: z.literal('building').describe('The next request tries again.') }) },
    handler: async (request, reply) => {
      const { caller, params } = request;
      await db.transaction((tx) => takenDataset(tx, caller, params, 'canUpdateContent'));
      const subject = await place.subject(request, 'now');
      const { dataset } = subject;
      const { state } = await previews.state(dataset, requestOf(reply, subject));
      if (state !== 'failed')
        throw new AppError('conflict', `The preview has not failed; it is ${state}.`, { code: 'PreviewNotFailed' });
      await previews.retry(dataset);
      await previews.state(dataset, requestOf(reply, subject));
      return { state: 'building' as const };
    },
  });
}
