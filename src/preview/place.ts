import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { z } from 'zod';
import type { Access } from '../http/route.ts';
import type { Checked } from '../tiles/serve.ts';
import type { PreviewSubject } from './subject.ts';

/** Where previews are, and who may see them. */
export interface PreviewPlace {
  /** Path of the description. */
  readonly path: string;
  readonly params: z.ZodObject;
  readonly config: {
    readonly access: Access;
    readonly service: 'tiles' | 'none';
    readonly tags: string[];
    readonly signedLinks?: boolean;
    readonly responseCache?: boolean;
  };
  /** End of the names of operations, and of their summaries. */
  readonly named: { readonly operation: string; readonly summary: string };
  /** Ends descriptions. */
  readonly note: string;
  readonly onRequest?: onRequestAsyncHookHandler;
  /** The error that is sent instead of this one. */
  failure(error: unknown): unknown;
  /** Whether a request whose right was checked has been answered from memory. */
  answered(request: FastifyRequest, reply: FastifyReply): boolean;
  /** @throws AppError for a request that may not see the preview */
  subject(request: FastifyRequest, checked: Checked): Promise<PreviewSubject>;
}
