import { type Grid, layersOf } from '../../data/grid.ts';
import type { Item, Samples } from '../../data/item.ts';
import type { Mesh, MeshItem } from '../../data/mesh.ts';
import { convertSamples, restoreNodata, sampleArrays, sampleTypeOf } from '../../data/samples.ts';
import { sliceSamples } from '../../data/slice-samples.ts';
import { joined } from '../../data/stored-values.ts';
import type { BridgeWork } from './bridge.ts';
import {
  type Cells,
  type Corner,
  type Lattice,
  latticeCells,
  latticeConnectivity,
  latticeNodes,
  latticeSize,
  lineCells,
} from './lattice-cells.ts';

/**
 * Converts a grid to a mesh with the same order of cells: quads, or hexahedra if it has layers, including cells without
 * data. They are made when they are asked for, and can be read in blocks. A DFS1 becomes a line through the centres of
 * its cells, with values at the nodes.
 */
export function gridToMesh(grid: Grid, { stem }: Partial<Pick<BridgeWork, 'stem'>> = {}): Mesh {
  const { crs, time, origin, width, height } = grid;
  const isLine = origin?.format === 'dfs1';
  const corner = cornerOf(grid);
  const common: Omit<Mesh, keyof Cells> = {
    kind: 'mesh',
    ...(stem === undefined ? {} : { name: stem }),
    ...(crs === undefined ? {} : { crs }),
    ...(time === undefined ? {} : { time }),
    items: grid.bands.map(
      ({ role: _role, palette: _palette, ...band }: Item & Grid['bands'][number]): MeshItem => ({
        ...band,
        location: isLine ? 'node' : 'cell',
      }),
    ),
    values: async (band, step) => {
      const all: Samples[] = [];
      for (let layer = 0; layer < layersOf(grid); layer++) all.push(await sliceSamples(grid, { band, step, layer }));
      return all.length === 1 ? all[0]! : joined(sampleArrays[sampleTypeOf(all[0]!)], all);
    },
  };
  if (isLine)
    return { ...common, ...lineCells(Array.from({ length: width }, (_, column) => corner(column + 0.5, 0.5))) };
  return withLattice(common, { width, height, corner, ...levelsOf(grid) }, grid);
}

function withLattice(common: Omit<Mesh, keyof Cells>, lattice: Lattice, grid: Grid): Mesh {
  let made: Cells | undefined;
  const cells = () => {
    made ??= latticeCells(lattice);
    return made;
  };
  return {
    ...common,
    get nodes() {
      return cells().nodes;
    },
    get shapes() {
      return cells().shapes;
    },
    get connectivity() {
      return cells().connectivity;
    },
    get offsets() {
      return cells().offsets;
    },
    blocks: {
      ...latticeSize(lattice),
      nodes: () => latticeNodes(lattice),
      connectivity: () => latticeConnectivity(lattice),
      async *values(band, step) {
        const { type = 'Float64', nodata } = grid.bands[band]!;
        for (let layer = 0; layer < layersOf(grid); layer++)
          for await (const { samples } of grid.rows({ band, step, layer })) {
            const converted = convertSamples(samples, type);
            restoreNodata(converted, samples, nodata);
            yield converted;
          }
      },
    },
  };
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
