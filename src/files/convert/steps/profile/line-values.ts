import { releaseBuffer } from '../../../data/buffer-pool.ts';
import type { Grid } from '../../../data/grid.ts';
import type { Mesh } from '../../../data/mesh.ts';
import { realValues } from '../../../data/real-values.ts';
import { type MeshWeights, meshWeights } from '../../../geo/profile/mesh-weights.ts';
import type { LinePoints } from '../../../geo/profile/points-along.ts';
import { gridWeights, type ProfileMethod, type Weights } from '../../../geo/profile/weights.ts';
import type { MeshLayer } from '../mesh-layers.ts';

/** Values at points of an item, a step and a layer; NaN for no data and outside of the data. */
export type LineValues = (item: number, step: number, layer: number) => Promise<Float64Array>;

/** Values of a grid at points. `outside`: 1 for points outside of it. */
export function gridLine(
  grid: Grid,
  points: LinePoints,
  method: ProfileMethod,
): { values: LineValues; outside: Uint8Array } {
  const weights = gridWeights(grid, points, method);
  const { places, outside } = weights;
  const rowOf = (place: number) => Math.floor(place / grid.width);
  const range = { first: rowOf(places[0] ?? 0), end: rowOf(places.at(-1) ?? 0) + 1 };
  const values: LineValues = async (band, step, layer) => {
    const sums = emptySums(outside);
    let n = 0;
    for await (const { firstRow, rowCount, exact, samples } of grid.rows({ band, step, layer }, range)) {
      const real = realValues(exact ?? samples, grid.bands[band]!);
      releaseBuffer(samples);
      n = addWeighted(sums, weights, n, real, firstRow * grid.width, (firstRow + rowCount) * grid.width);
    }
    return sums;
  };
  return { values, outside };
}

/** Values of a mesh at points: of nodes linear in their triangle, of cells as they are. Weights are made per layer. */
export function meshLine(
  mesh: Mesh,
  layerOf: (layer: number) => MeshLayer,
  points: LinePoints,
  method: ProfileMethod,
): { values: LineValues; outsideOf(layer: number): Uint8Array } {
  const made: MeshWeights[] = [];
  const weightsOf = (layer: number): MeshWeights => {
    const known = made[layer];
    if (known !== undefined) return known;
    const { cells, flat, triangles } = layerOf(layer);
    made[layer] = meshWeights(flat.nodes, triangles, cells, points, method);
    return made[layer];
  };
  // all layers share the values of an item at a step
  let last: { readonly item: number; readonly step: number; readonly real: Float64Array } | undefined;
  const values: LineValues = async (item, step, layer) => {
    const described = mesh.items[item]!;
    const weights = described.location === 'node' ? weightsOf(layer).ofNodes : weightsOf(layer).ofCells;
    if (last?.item !== item || last.step !== step)
      last = { item, step, real: realValues(await mesh.values(item, step), described) };
    const { real } = last;
    const sums = emptySums(weights.outside);
    addWeighted(sums, weights, 0, real, 0, real.length);
    return sums;
  };
  return { values, outsideOf: (layer) => weightsOf(layer).ofCells.outside };
}

const emptySums = (outside: Uint8Array): Float64Array =>
  Float64Array.from(outside, (one) => (one === 1 ? Number.NaN : 0));

/** Adds the values of places `from … to - 1` from entry `n` on; returns the first entry of later places. */
function addWeighted(
  sums: Float64Array,
  { places, points, weights }: Weights,
  n: number,
  values: Float64Array,
  from: number,
  to: number,
): number {
  let at = n;
  for (; at < places.length && places[at]! < to; at++)
    if (places[at]! >= from) sums[points[at]!]! += weights[at]! * values[places[at]! - from]!;
  return at;
}
