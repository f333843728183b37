import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FeatureBlock } from 'hydrofiles/features';
import type { FileFormat } from '../datasets/files/file-formats.ts';
import type { FileThreads } from '../datasets/files/file-threads.ts';
import { AppError, invalidMember } from '../errors.ts';
import { readAsker, shareOf } from '../http/rules/signed-link.ts';
import { asRefusal, type Content } from './content.ts';
import type { FeatureFile, Question, StoredFeatures } from './files/write-features.ts';
import { MAX_FEATURE, queriedBlocks } from './page.ts';
import { packPlaced } from './placed.ts';
import { type FeatureParameters, parseQuery } from './query.ts';
import { type FeatureParts, isKnown } from './request.ts';

export interface FileParameters extends FeatureParameters {
  limit?: number | undefined;
  cursor?: string | undefined;
  offset?: number | undefined;
}

/** Sends the features that match as a file: all of them, unless the request has a limit. */
export async function sendFile(
  { files, publicUrl }: Pick<FeatureParts, 'publicUrl'> & { files: FileThreads },
  request: FastifyRequest,
  reply: FastifyReply,
  content: Content,
  { format, parameters }: { format: FileFormat; parameters: FileParameters },
): Promise<never> {
  const { dataset, header } = content;
  try {
    const { limit, cursor, offset = 0, ...rest } = parameters;
    if (cursor !== undefined) throw invalidMember('cursor', 'A file has no pages. Omit cursor.');
    const query = parseQuery(content, rest);
    if (isKnown(request, reply, content, publicUrl, format)) return reply as never;
    const key = JSON.stringify(query);
    const start = async () => ({ number: 0, offset: header.start });
    let blocks: AsyncGenerator<FeatureBlock> | undefined;
    const asker = readAsker(request);
    return await files.send<FeatureFile, Question>(reply, {
      format,
      tenant: shareOf(asker, dataset.id),
      name: dataset.name,
      module: new URL('./files/write-features.ts', import.meta.url),
      prepare: async () => ({ input: { name: dataset.name, query, skip: offset, limit } }),
      async reply(question: Question) {
        if (question === 'first') {
          await blocks?.return(undefined);
          blocks = queriedBlocks(content, key, { start });
        }
        return nextFeatures(blocks!);
      },
    });
  } catch (error) {
    throw asRefusal(error, dataset.id);
  } finally {
    await content.source.close();
  }
}

async function nextFeatures(blocks: AsyncGenerator<FeatureBlock>): Promise<StoredFeatures | undefined> {
  for (;;) {
    const { value: block, done } = await blocks.next();
    if (done) return undefined;
    const { bytes, offset, features, tooLarge } = block;
    const [large] = tooLarge;
    if (large !== undefined)
      throw new AppError(
        'unprocessable',
        `Feature ${large.number} has ${large.size} bytes. Queries return features of up to ${MAX_FEATURE}.`,
      );
    const [first, last] = [features[0], features.at(-1)];
    if (first === undefined || last === undefined) continue;
    // a copy: the block may be a part of a larger one
    const own = new Uint8Array(bytes.subarray(first.at, last.at + last.size));
    return { bytes: own, offset: offset + first.at, features: packPlaced(features, first.at, offset) };
  }
}
