import type { Grid } from '../../data/grid.ts';
import { layersOf } from '../../data/grid.ts';
import type { Item, Samples } from '../../data/item.ts';
import type { Mesh, MeshItem } from '../../data/mesh.ts';
import { sliceSamples } from '../../data/slice-samples.ts';
import type { BridgeWork } from './bridge.ts';
import type { Corner } from './lattice-cells.ts';
import { latticeCells, lineCells } from './lattice-cells.ts';

/**
 * Converts a grid to a mesh with the same order of cells: quads, or hexahedra if it has layers, including cells without
 * data. A DFS1 becomes a line through the centres of its cells, with values at the nodes.
 */
export function gridToMesh(grid: Grid, { stem }: Partial<Pick<BridgeWork, 'stem'>> = {}): Mesh {
  const { crs, time, origin } = grid;
  const isLine = origin?.format === 'dfs1';
  const { width, height } = grid;
  const corner = cornerOf(grid);
  const cells = isLine
    ? lineCells(Array.from({ length: width }, (_, column) => corner(column + 0.5, 0.5)))
    : latticeCells({ width, height, corner, ...levelsOf(grid) });
  return {
    kind: 'mesh',
    ...(stem === undefined ? {} : { name: stem }),
    ...(crs === undefined ? {} : { crs }),
    ...(time === undefined ? {} : { time }),
    ...cells,
    items: grid.bands.map(
      ({ role: _role, palette: _palette, ...band }: Item & Grid['bands'][number]): MeshItem => ({
        ...band,
        location: isLine ? 'node' : 'cell',
      }),
    ),
    values: async (band, step) => {
      const all: Samples[] = [];
      for (let layer = 0; layer < layersOf(grid); layer++) all.push(await sliceSamples(grid, { band, step, layer }));
      return all.length === 1 ? all[0]! : concatenated(all);
    },
  };
}

function concatenated(all: readonly Samples[]): Samples {
  const one = all[0]!;
  const joined = new (one.constructor as new (length: number) => Samples)(one.length * all.length);
  for (const [n, samples] of all.entries()) joined.set(samples, n * one.length);
  return joined;
}

const cornerOf =
  ({ affine: [x, a, b, y, c, d] }: Grid): Corner =>
  (column, row) => [x + column * a + row * b, y + column * c + row * d];

/** Heights of the boundaries between layers. */
function levelsOf({ layers }: Grid): { levels?: readonly number[] } {
  if (layers === undefined) return {};
  const { count, first, spacing } = layers;
  return { levels: Array.from({ length: count + 1 }, (_, k) => first + (k - 0.5) * spacing) };
}
