import { z } from 'zod';
import { type App, Routes } from '../http/route.ts';
import { component } from '../http/rules/members.ts';
import { listOf } from '../http/rules/paging.ts';
import { findItems, findUnits } from './eum-search.ts';
import { TAGS } from './route-parts.ts';

const EumItem = component('EumItem', {
  code: z.int().meta({ description: 'Number of the item in EUM.', example: 100_000 }),
  identifier: z.string().meta({ description: 'Identifier of the item.', example: 'eumIWaterLevel' }),
  name: z.string().meta({ description: 'Name of the EUM item.', example: 'Water Level' }),
  units: z
    .array(z.string())
    .optional()
    .meta({
      description: 'Identifiers of its units, the usual one first; absent: all units.',
      example: ['eumUmeter'],
    }),
});
export type EumItem = z.infer<typeof EumItem>;
const EumUnit = component('EumUnit', {
  code: z.int().meta({ description: 'Number of the unit in EUM.', example: 1800 }),
  identifier: z.string().meta({ description: 'Identifier of the unit.', example: 'eumUm3PerSec' }),
  name: z.string().meta({ description: 'Name of the unit.', example: 'meter pow 3 per sec' }),
  symbol: z.string().meta({ description: 'Symbol of the unit.', example: 'm^3/s' }),
});
export type EumUnit = z.infer<typeof EumUnit>;

const filter = z.object({
  text: z
    .string()
    .max(200)
    .optional()
    .describe(
      'Words that must all occur in identifier, name or symbol, in any letter case. The best match comes first.',
    ),
  name: z
    .string()
    .max(200)
    .optional()
    .describe('Only with this identifier, name or symbol, in any usual spelling: `m3/s`, `m³/s`.'),
});

/** Quantities and units of EUM (Engineering Unit Management), which items of time series have. */
export async function eumRoutes(app: App) {
  const routes = new Routes(app, { access: 'signedIn', service: 'ts', tags: TAGS });

  routes.get('/api/ts/eum/item', {
    operationId: 'getTEumItem',
    summary: 'Lists EUM items, the best match first',
    querystring: filter,
    response: { 200: listOf(EumItem) },
    handler: async ({ query }) => ({ data: findItems(query) }),
  });

  routes.get('/api/ts/eum/unit', {
    operationId: 'getTEumUnit',
    summary: 'Lists EUM units, the best match first',
    querystring: filter,
    response: { 200: listOf(EumUnit) },
    handler: async ({ query }) => ({ data: findUnits(query) }),
  });
}
