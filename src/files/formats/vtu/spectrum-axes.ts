import type { Axis, Samples } from '../../data/item.ts';
import type { Mesh } from '../../data/mesh.ts';
import type { VtuArray } from './encode.ts';
import type { StoredItem } from './items.ts';

/** The axes of a spectrum from the slowest, and their names in the field data: values, and EUM codes `[item, unit]`. */
const spectrumAxes = [
  { name: 'direction', values: 'Directions', eum: 'DirectionEum' },
  { name: 'frequency', values: 'Frequencies', eum: 'FrequencyEum' },
] as const;

export const spectrumFieldNames: readonly string[] = spectrumAxes.flatMap(({ values, eum }) => [values, eum]);

/** Frequencies and directions among the axes of a spectrum. */
export function spectrumFields(components: readonly Axis[]): VtuArray[] {
  return spectrumAxes.flatMap(({ name, values, eum }) => {
    const axis = components.find((one) => one.name === name);
    if (axis === undefined) return [];
    const codes = axis.eum && { name: eum, values: Int32Array.of(axis.eum.item, axis.eum.unit) };
    return [{ name: values, values: axis.values }, ...(codes === undefined ? [] : [codes])];
  });
}

/** Directions and frequencies of the field data. */
const axesOf = (fields: ReadonlyMap<string, Samples>): Axis[] =>
  spectrumAxes.flatMap(({ name, values, eum }): Axis[] => {
    const numbers = fields.get(values);
    if (numbers === undefined) return [];
    const [item, unit] = fields.get(eum) ?? [];
    const quantity = item === undefined || unit === undefined ? {} : { eum: { item, unit } };
    return [{ name, ...quantity, values: Float64Array.from(numbers) }];
  });

const countOf = (axes: readonly Axis[]): number => axes.reduce((product, { values }) => product * values.length, 1);

/**
 * The axes of a point spectrum: no item has components, and a cell stands for each pair of a direction and a frequency.
 */
export function pointSpectrum(
  items: readonly StoredItem[],
  fields: ReadonlyMap<string, Samples>,
  cells: number,
): Pick<Mesh, 'located' | 'spectrum'> {
  const axes = axesOf(fields);
  const isPoint =
    axes.length > 0 && countOf(axes) === cells && items.every(({ item }) => item.components === undefined);
  return isPoint ? { located: false, spectrum: axes } : {};
}

/** Gives frequencies and directions to the items that have a component for each pair of them. */
export function withSpectra(items: readonly StoredItem[], fields: ReadonlyMap<string, Samples>): StoredItem[] {
  const axes = axesOf(fields);
  const count = countOf(axes);
  if (axes.length === 0) return [...items];
  return items.map(({ item, ...rest }) => ({
    ...rest,
    item: item.components?.[0]?.values.length === count ? { ...item, components: axes } : item,
  }));
}
