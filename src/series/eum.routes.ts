import { z } from 'zod';
import { type App, Routes } from '../http/route.ts';
import { component, text, texts, textUpTo } from '../http/rules/members.ts';
import { listOf } from '../http/rules/paging.ts';
import { findItems, findUnits } from './eum-search.ts';
import { TAGS } from './route-parts.ts';

const EumItem = component('EumItem', {
  code: z.int().meta({ description: 'Number of the item in EUM.', example: 100_000 }),
  identifier: text('Identifier of the item.', 'eumIWaterLevel'),
  name: text('Name of the EUM item.', 'Water Level'),
  units: texts('Identifiers of its units, the usual one first; absent: all units.', ['eumUmeter']).optional(),
});
export type EumItem = z.infer<typeof EumItem>;
const EumUnit = component('EumUnit', {
  code: z.int().meta({ description: 'Number of the unit in EUM.', example: 1800 }),
  identifier: text('Identifier of the unit.', 'eumUm3PerSec'),
  name: text('Name of the unit.', 'meter pow 3 per sec'),
  symbol: text('Symbol of the unit.', 'm^3/s'),
});
export type EumUnit = z.infer<typeof EumUnit>;

const filter = z.object({
  text: textUpTo(
    200,
    'Words that must all occur in identifier, name or symbol, in any letter case. The best match comes first.',
  ).optional(),
  name: textUpTo(200, 'Only with this identifier, name or symbol, in any usual spelling: `m3/s`, `m³/s`.').optional(),
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
