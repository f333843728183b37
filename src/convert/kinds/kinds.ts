import type { Data, DataKind } from '../../data/data.ts';
import { bytesHandler } from './bytes.ts';
import { featuresHandler } from './features.ts';
import { gridHandler } from './grid.ts';
import type { KindHandler } from './handler.ts';
import { meshHandler } from './mesh.ts';
import { arrayHandler } from './multi-array.ts';
import { seriesHandler } from './series.ts';

type Handlers = { readonly [K in DataKind]: KindHandler<Extract<Data, { kind: K }>> };

const handlers: Handlers = {
  bytes: bytesHandler,
  grid: gridHandler,
  features: featuresHandler,
  mesh: meshHandler,
  series: seriesHandler,
  array: arrayHandler,
};

/** The handler of a kind of data. */
export const handlerOf = <K extends DataKind>(kind: K): Handlers[K] => handlers[kind];
