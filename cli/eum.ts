import { UsageError } from 'hydrofiles/terminal';
import type { List } from '../src/http/rules/paging.ts';
import type { EumItem, EumUnit } from '../src/series/eum.routes.ts';
import type { Io } from './io.ts';

interface Query {
  text?: string | undefined;
  name?: string | undefined;
}

export const eumItems = async (io: Io, query: Query): Promise<EumItem[]> =>
  (await io.api.call<List<EumItem>>('GET', '/api/ts/eum/item', { query: { ...query } })).body.data;
export const eumUnits = async (io: Io, query: Query): Promise<EumUnit[]> =>
  (await io.api.call<List<EumUnit>>('GET', '/api/ts/eum/unit', { query: { ...query } })).body.data;

const MAX_SHOWN = 5;

/**
 * Identifiers of an EUM item and unit that are given by identifier, name or symbol. Throws a `UsageError` unless each
 * is one. What is not given is not looked up.
 */
export async function findQuantity<Given extends { item?: string; unit?: string }>(
  io: Io,
  given: Given,
): Promise<Pick<Given, 'item' | 'unit'>> {
  const item = given.item === undefined ? undefined : await findItem(io, given.item);
  if (given.unit === undefined) return { ...(item && { item: item.identifier }) } as Pick<Given, 'item' | 'unit'>;
  const called = await eumUnits(io, { name: given.unit });
  // several units have one symbol; the item has mostly one of them
  const ofItem = called.filter((unit) => item?.units?.includes(unit.identifier) ?? true);
  const candidates = ofItem.length === 0 ? called : ofItem;
  const unit = await only('unit', given.unit, candidates, () => eumUnits(io, { text: given.unit }));
  return { ...(item && { item: item.identifier }), unit: unit.identifier } as Pick<Given, 'item' | 'unit'>;
}

const findItem = async (io: Io, name: string): Promise<EumItem> =>
  only('item', name, await eumItems(io, { name }), () => eumItems(io, { text: name }));

type Named = { identifier: string; symbol?: string };

async function only<T extends Named>(
  kind: 'item' | 'unit',
  given: string,
  found: readonly T[],
  similar: () => Promise<readonly T[]>,
): Promise<T> {
  const [first, another] = found;
  const exact = found.find(({ identifier, symbol }) => identifier === given || symbol === given);
  if (exact) return exact;
  if (first !== undefined && another === undefined) return first;
  const identifiers = (all: readonly Named[]) =>
    all
      .slice(0, MAX_SHOWN)
      .map(({ identifier }) => identifier)
      .join(', ');
  if (first !== undefined)
    throw new UsageError(`'${given}' could be ${identifiers(found)}. Use one of these identifiers.`);
  const alike = identifiers(await similar());
  const advice = alike === '' ? `To search: 'platform eum list TEXT'.` : `Similar are ${alike}.`;
  throw new UsageError(`There is no EUM ${kind} '${given}'. ${advice}`);
}
