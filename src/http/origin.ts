import type { FastifyRequest } from 'fastify';

/** Where a request came from, for limits, reuse of tokens and the audit trail. */
export interface Origin {
  address: string;
  requestId: string;
}

export const originOf = ({ ip, id }: FastifyRequest): Origin => ({ address: ip, requestId: id });
