import { parentPort } from 'node:worker_threads';
import { AppError, asAppError } from '../errors.ts';
import type { Crs } from '../files/data/crs-reference.ts';
import { ConversionError, FormatError } from '../files/errors.ts';
import type { Placed } from '../files/formats/flatgeobuf/feature-blocks.ts';
import type { Area } from '../files/formats/flatgeobuf/schema.ts';
import { type Location, placeOf } from './place.ts';
import { type FeatureQuery, type Portion, type Rendered, Renderer } from './renderer.ts';

/** Work of the thread. A query is JSON, so that it is its own key: it comes with each job, and is prepared once. */
export type Job =
  | { kind: 'place'; crs: Crs | undefined; box: Area | undefined }
  | { kind: 'areas'; query: string }
  | {
      kind: 'render';
      query: string;
      bytes: Uint8Array;
      /** Of the bytes in the file. */
      offset: number;
      /** Number, position in the bytes, size and offset in the file of each feature. */
      features: Float64Array;
      portion: Portion;
    };

export interface Results {
  place: Location;
  areas: readonly Area[] | undefined;
  render: Rendered;
}

export type Answer =
  | { result: Results[keyof Results] }
  /** `kind` and `details`: of an AppError. Without them: a FormatError, or `stack`, of a bug. */
  | { message: string; kind?: AppError['kind']; details?: AppError['details']; stack?: string };

/** Prepared queries that are kept. */
const maxPrepared = 16;
const prepared = new Map<string, Promise<Renderer>>();

/** The renderer of a query. The least recently used ones are closed. */
function rendererOf(query: string): Promise<Renderer> {
  const known = prepared.get(query) ?? Renderer.create(JSON.parse(query) as FeatureQuery);
  prepared.delete(query);
  prepared.set(query, known);
  known.catch(() => prepared.delete(query));
  if (prepared.size > maxPrepared) {
    const [oldest, renderer] = prepared.entries().next().value!;
    prepared.delete(oldest);
    void renderer.then((one) => one.close());
  }
  return known;
}

async function resultOf(job: Job): Promise<Results[keyof Results]> {
  if (job.kind === 'place') return placeOf(job.crs, job.box);
  const renderer = await rendererOf(job.query);
  if (job.kind === 'areas') return renderer.areas;
  const { offset, features, portion } = job;
  const bytes = Buffer.from(job.bytes.buffer, job.bytes.byteOffset, job.bytes.length);
  return renderer.render({ bytes, offset, features: placedIn(features) }, portion);
}

function* placedIn(numbers: Float64Array): Generator<Placed> {
  for (let n = 0; n < numbers.length; n += 4)
    yield { number: numbers[n]!, at: numbers[n + 1]!, size: numbers[n + 2]!, offset: numbers[n + 3]! };
}

async function answer(job: Job): Promise<void> {
  try {
    const result = await resultOf(job);
    if (job.kind !== 'render') return parentPort?.postMessage({ result } satisfies Answer);
    const text = new Uint8Array((result as Rendered).text);
    parentPort?.postMessage({ result: { ...(result as Rendered), text } } satisfies Answer, [text.buffer]);
  } catch (error) {
    const { message, stack } = error as Error;
    const refusal = error instanceof ConversionError ? asAppError(error) : error;
    if (refusal instanceof AppError)
      return parentPort?.postMessage({ message, kind: refusal.kind, details: refusal.details } satisfies Answer);
    parentPort?.postMessage(
      (error instanceof FormatError ? { message } : { message, stack: stack ?? message }) satisfies Answer,
    );
  }
}

// one after the other: a renderer that is in use must not be closed
let last: Promise<void> = Promise.resolve();
parentPort?.on('message', (job: Job) => {
  last = last.then(() => answer(job));
});
