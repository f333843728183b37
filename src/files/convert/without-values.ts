import type { Data } from '../data/data.ts';
import type { FeatureCollection } from '../data/feature-collection.ts';

/** Thrown by data without values when a value is asked for. */
export class ValuesAsked extends Error {
  override name = 'ValuesAsked';
}

/**
 * The same data, of which only the header can be read: whoever asks for a value, an outline or a time that is not in
 * the header gets the error, and `asked` is called before.
 */
export function withoutValues<D extends Data>(data: D, asked: () => void): D;
export function withoutValues(data: Data, asked: () => void): Data {
  const refuse = (): never => {
    asked();
    throw new ValuesAsked('Only the header of the data is read.');
  };
  const refuseLater = async () => refuse();
  // biome-ignore lint/correctness/useYield: it ends at the first element
  async function* refuseFirst(): AsyncGenerator<never> {
    refuse();
  }
  const features = (one: FeatureCollection): FeatureCollection => ({
    ...one,
    ...(one.later && { later: one.later.map(features) }),
    chunks: refuseFirst,
  });
  switch (data.kind) {
    case 'bytes':
      return data;
    case 'features':
      return features(data);
    case 'series':
      return { ...data, chunks: refuseFirst };
    case 'array':
      return { ...data, read: refuseLater };
    case 'grid':
      return { ...data, rows: refuseFirst, ...(data.read && { read: refuseLater }) };
    case 'mesh':
      return {
        ...data,
        values: refuseLater,
        ...(data.heights && { heights: refuseLater }),
        ...(data.blocks && { blocks: { ...data.blocks, values: refuseFirst } }),
      };
  }
}
