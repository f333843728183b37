import { defined } from '../../../data/defined.ts';
import { symbolOf } from '../../../data/eum/eum.ts';
import type { Item } from '../../../data/item.ts';
import { isBig, type StoredType } from '../../../data/stored-values.ts';
import type { Packing } from './packing.ts';
import { quantityOf } from './standard-names.ts';
import { hasTimeUnits } from './time.ts';
import { type CfContext, type CfFile, type CfVariable, numberOf, shortened, textOf } from './variable.ts';

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

/** Lists of a term and the variable that it is, such as `area: cell_area`. */
const ofTerms = ['cell_measures', 'formula_terms'];

/** The variables that such an attribute names. */
const namesIn = (key: string, text: string): string[] => {
  const words = text.replaceAll(':', ': ').split(/\s+/);
  return ofTerms.includes(key)
    ? words.filter((word) => !word.endsWith(':'))
    : words.map((word) => word.replace(/:$/, ''));
};

/** Variables with values, scalar coordinates, and the names of those that are neither and hold no axis. */
export function variablesOf(file: CfFile) {
  const all = [...file.variables.values()];
  const named = new Map<string, string>();
  for (const attributes of [file.attributes, ...all.map(({ metadata }) => metadata.attributes)])
    for (const key of describing)
      for (const word of namesIn(key, textOf(attributes[key]) ?? '')) if (!named.has(word)) named.set(word, key);
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

/** Standard names of components along true east and north, such as `surface_eastward_sea_water_velocity`. */
const alongEarth = /(?:^|_)(?<!grid_)(?:eastward|northward)_/;

/** The item of a variable with attributes of CF. */
export function itemOf(
  { metadata: { name, attributes } }: CfVariable,
  { type, nodata }: Packing,
  { remark }: Pick<CfContext, 'remark'>,
): Item {
  const units = textOf(attributes.units);
  const standard = textOf(attributes.standard_name);
  const { eum, known } = quantityOf(standard, units);
  if (known && eum === undefined)
    remark(
      `The unit '${shortened(units ?? '')}' of '${shortened(name)}' is none of EUM for '${shortened(standard ?? '')}'; the item has no quantity of EUM.`,
    );
  return defined({
    name,
    unit: eum === undefined ? units : symbolOf(eum).unit,
    eum,
    geographicAxes: (standard !== undefined && alongEarth.test(standard)) || undefined,
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

/**
 * Names of items: the long name, else the standard name, else that of the variable; of the variables where two agree.
 */
export function longNames(variables: readonly CfVariable[]): string[] {
  const names = variables.map(
    ({ metadata: { name, attributes } }) => textOf(attributes.long_name) ?? textOf(attributes.standard_name) ?? name,
  );
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return names.map((name, n) => (counts.get(name) === 1 ? name : variables[n]!.metadata.name));
}
