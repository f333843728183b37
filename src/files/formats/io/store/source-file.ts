import { defined } from '../../../data/defined.ts';
import type { Origin } from '../../../data/origin.ts';
import { type DfsFacts, factsOf } from '../dfs/origin.ts';

/** Title and type of the DFS file that the data come from, for the description; undefined if they say nothing. */
export function sourceOf(data: { readonly origin?: Origin }): DfsFacts | undefined {
  const { title = '', dataType = 0 } = factsOf(data);
  if (title === '' && dataType === 0) return undefined;
  return defined({ title: title === '' ? undefined : title, dataType: dataType === 0 ? undefined : dataType });
}

/** The attribute of CF. */
export const titleAttribute = (source: DfsFacts | undefined): { title?: string } =>
  source?.title === undefined ? {} : { title: source.title };
