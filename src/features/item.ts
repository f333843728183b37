import { type FeatureBlock, findByNumber, foundBlocks, type Indexed, scanBlocks } from 'hydrofiles/features';
import { AppError, notFound } from '../errors.ts';
import { asRefusal, type Content } from './content.ts';
import { MAX_FEATURE, renderFeatures, SCANNED } from './page.ts';
import type { FeatureQuery } from './renderer.ts';

/**
 * GeoJSON of the feature with an id: its own, or in a file without ids its number, from 0. Own ids have no index, so
 * the file is read up to the feature. Closes the source.
 */
export async function featureById(
  content: Content,
  query: FeatureQuery,
  id: string,
  signal: AbortSignal,
): Promise<Uint8Array> {
  try {
    const hasIds = content.header.columns.some(({ isId }) => isId);
    const number = /^(0|[1-9]\d{0,14})$/.test(id) ? Number(id) : undefined;
    if (!hasIds && number === undefined) throw notFound('Feature', id);
    const idOrNumber = hasIds ? { id } : { number: number! };
    const key = JSON.stringify({ ...query, ...(hasIds ? { id } : {}) });
    for await (const block of blocksFor(content, idOrNumber)) {
      if (signal.aborted) break;
      const large = block.tooLarge.find((one) => one.number === number && !hasIds);
      if (large)
        throw new AppError('unprocessable', `Feature '${id}' has ${large.size} bytes. Queries return ${MAX_FEATURE}.`);
      const features = hasIds ? block.features : block.features.filter((one) => one.number === number);
      if (features.length === 0) continue;
      const { text, count, skipped } = await renderFeatures(
        content,
        key,
        { ...block, features },
        { skip: 0, limit: 1 },
      );
      if (count > 0) return text;
      if (skipped[0] && !hasIds)
        throw new AppError('unprocessable', `Feature '${id}' cannot be returned: ${skipped[0].reason}`);
    }
    throw notFound('Feature', id);
  } catch (error) {
    throw asRefusal(error, content.dataset.id);
  } finally {
    await content.source.close();
  }
}

async function* blocksFor(
  { source, header }: Content,
  key: { id: string } | { number: number },
): AsyncGenerator<FeatureBlock> {
  if ('id' in key || header.index === undefined) yield* scanBlocks(source, header, undefined, SCANNED);
  else if (key.number < header.count) {
    const found = await findByNumber(source, header as Indexed, key.number);
    yield* foundBlocks(source, [found], MAX_FEATURE);
  }
}
