import type { Data, DataKind } from '../../data/data.ts';
import { bytesHandler } from './bytes.ts';
import { featuresHandler } from './features.ts';
import { gridHandler } from './grid.ts';
import type { KindHandler } from './handler.ts';

type Handlers = { readonly [K in DataKind]?: KindHandler<Extract<Data, { kind: K }>> };

/** One handler per kind of data that a format reads. */
const handlers: Handlers = { bytes: bytesHandler, grid: gridHandler, features: featuresHandler };

/** What the conversion knows of a kind. */
export function handlerOf<K extends DataKind>(kind: K): KindHandler<Extract<Data, { kind: K }>> {
  const handler = handlers[kind];
  if (handler === undefined) throw new Error(`No conversion leads through '${kind}' yet.`);
  return handler as KindHandler<Extract<Data, { kind: K }>>;
}
