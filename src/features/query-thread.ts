import { loadOnce } from 'hydrofiles/caches';
import type { Crs } from 'hydrofiles/data';
import { ConversionError } from 'hydrofiles/errors';
import type { Area } from 'hydrofiles/features';
import { answerTasks } from 'hydrofiles/threads';
import { LRUCache } from 'lru-cache';
import { asAppError } from '../errors.ts';
import { type Location, locateFeatures } from './location.ts';
import { placedIn } from './placed.ts';
import { type FeatureQuery, type Portion, type Rendered, Renderer } from './renderer.ts';

/** Work of the thread. A query is JSON, so that it is its own key: it comes with each job, and is prepared once. */
export type Job =
  | { kind: 'location'; crs: Crs | undefined; box: Area | undefined }
  | { kind: 'areas'; query: string }
  | {
      kind: 'render';
      query: string;
      bytes: Uint8Array;
      /** Offset of the bytes in the file. */
      offset: number;
      /** Number, position in the bytes, size and offset in the file of each feature. */
      features: Float64Array;
      portion: Portion;
    };

export interface Results {
  location: Location;
  areas: readonly Area[] | undefined;
  render: Rendered;
}

/** Prepared queries that are kept. */
const maxPrepared = 16;
const prepared = new LRUCache<string, Promise<Renderer>>({
  max: maxPrepared,
  dispose: (renderer) =>
    void renderer.then(
      (one) => one.close(),
      () => undefined,
    ),
});

/** The renderer of a query. The least recently used ones are closed. */
function openRenderer(query: string): Promise<Renderer> {
  return loadOnce(prepared, query, () => Renderer.create(JSON.parse(query) as FeatureQuery));
}

async function runJob(job: Job): Promise<Results[Job['kind']]> {
  if (job.kind === 'location') return locateFeatures(job.crs, job.box);
  const renderer = await openRenderer(job.query);
  if (job.kind === 'areas') return renderer.areas;
  const { offset, features, portion } = job;
  const bytes = Buffer.from(job.bytes.buffer, job.bytes.byteOffset, job.bytes.length);
  const rendered = await renderer.render({ bytes, offset, features: placedIn(features) }, portion);
  return { ...rendered, text: new Uint8Array(rendered.text) };
}

answerTasks(
  (job: Job) =>
    runJob(job).catch((error: unknown) => {
      throw error instanceof ConversionError ? asAppError(error) : error;
    }),
  (result) => (result !== undefined && 'text' in result ? [result.text.buffer as ArrayBuffer] : []),
);
