import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { text } from '../http/rules/members.ts';
import { ContentDamaged } from '../transfers/store/content-damaged.ts';

export const tokenParam = z.object({ token: text('Token of the link, from its address.', '6Zk0vW1oT3mXq9yJrB2c7A') });

export const ONE_404 =
  'A link that is unknown, has ended or expired, or whose dataset is gone is 404 `ShareNotFound`, always the same.';

/** The error for the holder of a link, who does not learn the name and id of a dataset whose content is damaged. */
export const errorOfLink = (error: unknown): unknown => (error instanceof ContentDamaged ? error.unnamed() : error);

/** Search engines list no link, and pages that a holder goes on to do not learn it. */
export async function unlisted(_: FastifyRequest, reply: FastifyReply) {
  reply.headers({ 'x-robots-tag': 'noindex', 'referrer-policy': 'no-referrer' });
}
