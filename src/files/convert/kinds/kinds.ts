import type { Data, DataKind } from '../../data/data.ts';
import type { KindHandler } from './handler.ts';

type Handlers = { readonly [K in DataKind]: () => Promise<KindHandler<Extract<Data, { kind: K }>>> };

const handlers: Handlers = {
  bytes: async () => (await import('./bytes.ts')).bytesHandler,
  grid: async () => (await import('./grid.ts')).gridHandler,
  features: async () => (await import('./features.ts')).featuresHandler,
  mesh: async () => (await import('./mesh.ts')).meshHandler,
  series: async () => (await import('./series.ts')).seriesHandler,
  array: async () => (await import('./multi-array.ts')).arrayHandler,
};

/** Loads the handler of a kind of data. */
export const loadHandler = <K extends DataKind>(kind: K) => handlers[kind]() as ReturnType<Handlers[K]>;
