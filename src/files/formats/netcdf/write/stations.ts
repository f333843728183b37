import { eumItem } from '../../../data/eum/eum.ts';
import type { Item } from '../../../data/item.ts';
import type { SeriesItem } from '../../../data/series.ts';

/** A place with series, and what is measured there. */
export interface StationPlan {
  readonly stations: readonly { readonly name: string; readonly position: readonly number[] | undefined }[];
  /** Quantities; each is a variable over all stations. */
  readonly variables: readonly Item[];
  /** Station and variable of each item. */
  readonly places: readonly { readonly station: number; readonly variable: number }[];
}

/**
 * The stations and variables of items with positions. Items called `station, variable`, of one position for each
 * station, are taken as that; others are stations of their own, called by the item.
 */
export function planStations(items: readonly SeriesItem[]): StationPlan {
  const pairs = items.map(({ name = '' }) => {
    const at = name.lastIndexOf(', ');
    return at <= 0 ? undefined : { station: name.slice(0, at), variable: name.slice(at + 2) };
  });
  const positions = new Map<string, string>();
  const seen = new Set<string>();
  const paired = items.every(({ name, position }, n) => {
    const pair = pairs[n];
    if (pair === undefined || seen.has(name!)) return false;
    seen.add(name!);
    const place = JSON.stringify(position);
    const known = positions.get(pair.station) ?? place;
    positions.set(pair.station, known);
    return known === place;
  });
  const stations = new Map<string, number>();
  const variables = new Map<string, { number: number; item: Item }>();
  const listed: StationPlan['stations'][number][] = [];
  const places = items.map((item, n) => {
    const pair = paired ? pairs[n]! : undefined;
    const key = pair === undefined ? String(n) : pair.station;
    const station = stations.get(key) ?? listed.length;
    if (station === listed.length)
      listed.push({ name: pair?.station ?? item.name ?? `Item ${n + 1}`, position: item.position });
    stations.set(key, station);
    const { position: _, name: __, ...quantity } = item;
    const kind = JSON.stringify([pair?.variable, quantity], (_key, value) =>
      typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value)) ? String(value) : value,
    );
    const variable = variables.get(kind)?.number ?? variables.size;
    const name = pair?.variable ?? (quantity.eum && eumItem(quantity.eum.item)?.name) ?? 'Value';
    if (variable === variables.size) variables.set(kind, { number: variable, item: { ...quantity, name } });
    return { station, variable };
  });
  return { stations: listed, variables: [...variables.values()].map(({ item }) => item), places };
}
