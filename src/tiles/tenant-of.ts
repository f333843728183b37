import type { Asker } from '../http/rules/signed-link.ts';

/** Whose share of the drawing threads a request takes; a signed link has one of its own. */
export const tenantOf = (asker: Asker, datasetId: string): string =>
  'caller' in asker ? (asker.caller.tenantId ?? asker.caller.userId) : `link to ${datasetId}`;
