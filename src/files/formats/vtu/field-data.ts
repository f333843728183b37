import type { Crs } from '../../data/crs-reference.ts';
import { VALUE_KINDS } from '../../data/item.ts';
import type { Mesh, MeshItem } from '../../data/mesh.ts';
import { timeOf } from '../../data/time-axis.ts';
import { crsName, resolveCrs } from '../../geo/crs/crs.ts';
import type { Context } from '../define.ts';
import type { VtuArray } from './encode.ts';
import { spectrumFields } from './spectrum-axes.ts';

/** Sections of layered meshes, by their number in the field `Layers`. */
export const SECTIONS = [undefined, 'profile', 'column'] as const;

/**
 * Information that VTK has no elements for, as field data: EUM codes and kinds of value, one number per item (first
 * those at points, then those of cells, in the order of their arrays); layers `[maximum, sigma, section]` and the first
 * cells of their columns; frequencies and directions of spectra.
 */
export function fieldData(mesh: Mesh, items: readonly MeshItem[]): VtuArray[] {
  const integers = (name: string, values: Iterable<number>): VtuArray => ({ name, values: Int32Array.from(values) });
  const perItem = (name: string, number: (item: MeshItem) => number): VtuArray => ({
    name,
    values: Int32Array.from(items, number),
  });
  const arrays: VtuArray[] = [];
  if (items.some(({ eum }) => eum !== undefined))
    arrays.push(
      perItem('EumItem', ({ eum }) => eum?.item ?? 0),
      perItem('EumUnit', ({ eum }) => eum?.unit ?? 0),
    );
  if (items.some(({ eum, valueKind }) => eum !== undefined || valueKind !== undefined))
    arrays.push(perItem('ValueType', ({ valueKind = 'instantaneous' }) => VALUE_KINDS.indexOf(valueKind)));
  if (mesh.layers !== undefined) {
    const { maximum, sigma, columns } = mesh.layers;
    arrays.push(integers('Layers', [maximum, sigma, SECTIONS.indexOf(mesh.section)]));
    arrays.push(integers('ColumnOffsets', columns));
  }
  return [
    ...arrays,
    ...spectrumFields(mesh.spectrum ?? items.find((item) => item.components !== undefined)?.components ?? []),
  ];
}

/** The code of a coordinate system as field data; reports a loss if no registry has it. */
export async function sridField(
  crs: Crs | undefined,
  { reportLoss }: Pick<Context, 'reportLoss'>,
): Promise<VtuArray[]> {
  if (crs === undefined) return [];
  const code = crs.code ?? (await resolveCrs(crs))?.code;
  if (code !== undefined) return [{ name: 'SRID', values: Int32Array.of(code) }];
  reportLoss(`A VTU file does not store its coordinate system, which is ${crsName(crs)}.`, 'crs');
  return [];
}

/** The time of the first step (ISO 8601), on the data's own clock; undefined for data without a time axis. */
export function startTime(
  { time }: Pick<Mesh, 'time'>,
  { reportLoss }: Pick<Context, 'reportLoss'>,
): string | undefined {
  if (time === undefined) return undefined;
  if (time.start === undefined)
    reportLoss('The times are relative; in the VTU file they count from 1970-01-01T00:00:00.', 'times');
  const first = new Date(Math.round(timeOf(time, 0)));
  if (Number.isNaN(first.getTime())) {
    reportLoss('The time of the first step is outside the calendar and was left out.', 'times');
    return undefined;
  }
  return first.toISOString().replace(/(?:\.000)?Z$/, '');
}
