import { defined } from '../../../data/defined.ts';
import type { Item } from '../../../data/item.ts';
import { isBig, type StoredType } from '../../../data/stored-values.ts';
import type { Packing } from './packing.ts';
import { hasTimeUnits } from './time.ts';
import { type CfFile, type CfVariable, numberOf, textOf } from './variable.ts';

/** Attributes that name variables which describe others. */
const describing = [
  'grid_mapping',
  'bounds',
  'climatology',
  'coordinates',
  'cell_measures',
  'formula_terms',
  'mesh',
  'geometry',
  'node_coordinates',
  'node_count',
  'part_node_count',
  'interior_ring',
];

/** Variables with values, scalar coordinates, and the names of those that are neither and hold no axis. */
export function variablesOf(file: CfFile) {
  const all = [...file.variables.values()];
  const named = new Map<string, string>();
  for (const attributes of [file.attributes, ...all.map(({ metadata }) => metadata.attributes)])
    for (const key of describing)
      for (const word of textOf(attributes[key])?.split(/[\s:]+/) ?? []) if (!named.has(word)) named.set(word, key);
  const isAxis = ({ metadata: { name, shape, dimensions } }: CfVariable) =>
    shape.length === 1 && dimensions[0] === name;
  const chosen = all.filter((one) => one.metadata.shape.length > 0 && !named.has(one.metadata.name) && !isAxis(one));
  const used = new Set(chosen.flatMap(({ metadata }) => metadata.dimensions));
  const scalars = all.filter(
    (one) =>
      one.metadata.shape.length === 0 &&
      (named.get(one.metadata.name) === 'coordinates' ||
        hasTimeUnits(one) ||
        one.metadata.attributes.axis !== undefined),
  );
  const kept = ['grid_mapping', 'bounds', 'climatology'];
  const left = all
    .filter((one) => !chosen.includes(one) && !scalars.includes(one))
    .filter(
      (one) => !(isAxis(one) && used.has(one.metadata.name)) && !kept.includes(named.get(one.metadata.name) ?? ''),
    )
    .map(({ metadata }) => metadata.name);
  return { chosen, scalars, left };
}

/** The item of a variable with attributes of CF. */
export function itemOf({ metadata: { name, attributes } }: CfVariable, { type, nodata }: Packing): Item {
  return defined({
    name,
    unit: textOf(attributes.units),
    ...typeOf(type),
    scale: numberOf(attributes.scale_factor),
    offset: numberOf(attributes.add_offset),
    nodata: nodata === undefined ? undefined : Number(nodata),
    exactNodata: typeof nodata === 'bigint' && !Number.isSafeInteger(Number(nodata)) ? nodata : undefined,
  }) as Item;
}

/** 64-bit integers are passed as doubles. */
const typeOf = (stored: StoredType): Pick<Item, 'type' | 'integer64'> =>
  isBig(stored) ? { type: 'Float64', integer64: stored } : { type: stored };
