import { z } from 'zod';
import type { Field } from '../../data/feature-collection.ts';
import { FormatError } from '../../errors.ts';
import { ATTRIBUTE, descriptionIn, type SeriesDescription } from '../io/store/description.ts';

/** The key of file metadata with what columns cannot say, so that the data come back as they were. */
export const DESCRIPTION_KEY = ATTRIBUTE;
/** The key in which GDAL keeps which column is the id. */
export const GDAL_KEY = 'gdal:schema';

const size = z.int().min(0).max(1_000_000).optional();
const FeaturesDescription = z.object({
  kind: z.literal('features'),
  id: z.string().optional(),
  fields: z.array(z.object({ name: z.string(), width: size, decimals: size })).default([]),
});

export type FeaturesDescription = z.input<typeof FeaturesDescription>;

function json(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    // Others may use the same key.
    return undefined;
  }
}

/** The column of ids and the widths of fields, as this library and GDAL write them. */
export function ownDescription(keyValues: ReadonlyMap<string, string>): {
  /** The file was written with features, with or without geometry. */
  isFeatures: boolean;
  id: string | undefined;
  fields: ReadonlyMap<string, Pick<Field, 'width' | 'decimals'>>;
} {
  const own = FeaturesDescription.safeParse(json(keyValues.get(DESCRIPTION_KEY))).data;
  const gdal = z.object({ fid: z.string() }).safeParse(json(keyValues.get(GDAL_KEY))).data;
  const sizes = (own?.fields ?? []).map(
    ({ name, width, decimals }) =>
      [name, { ...(width === undefined ? {} : { width }), ...(decimals === undefined ? {} : { decimals }) }] as const,
  );
  return { isFeatures: own !== undefined, id: own?.id ?? gdal?.fid, fields: new Map(sizes) };
}

/** The items and the time axis as this library writes them; undefined for files of others. */
export function ownSeries(keyValues: ReadonlyMap<string, string>): SeriesDescription | undefined {
  try {
    const found = descriptionIn({ [ATTRIBUTE]: json(keyValues.get(DESCRIPTION_KEY)) });
    return found?.kind === 'series' ? found : undefined;
  } catch (error) {
    // The description is of features.
    if (!(error instanceof FormatError)) throw error;
    return undefined;
  }
}
