import { CELL_SHAPES, type Mesh, type MeshItem } from '../../src/files/data/mesh.ts';
import type { Model, Variation } from './model.ts';
import { itemsOf, samplesOf, timeOf, utm32 } from './model-parts.ts';

/** Node n stands in row n / 4 and column n % 4, 100 m apart. */
const corners = Array.from({ length: 8 }, (_, n) => [500_000 + 100 * (n % 4), 5_800_000 + 100 * Math.floor(n / 4)]);

/** A quad, two triangles and a quad from west to east. */
const flat = (wanted: ReadonlySet<Variation>) => {
  const fraction = wanted.has('precision') ? 1 / 7 : 0;
  return {
    nodes: Float64Array.from(
      corners.flatMap(([x, y], n) => [x! + fraction, y! + fraction, wanted.has('dimensions') ? -n - 0.5 : 0]),
    ),
    nodeCodes: Int32Array.of(1, 1, 2, 2, 1, 1, 3, 3),
    ...(wanted.has('ids')
      ? { nodeIds: Int32Array.from(corners, (_, n) => 10 * (n + 1)), cellIds: Int32Array.of(7, 9, 8, 10) }
      : {}),
    shapes: Uint8Array.of(CELL_SHAPES.quad, CELL_SHAPES.triangle, CELL_SHAPES.triangle, CELL_SHAPES.quad),
    connectivity: Uint32Array.of(0, 1, 5, 4, 1, 2, 6, 1, 6, 5, 2, 3, 7, 6),
    offsets: Uint32Array.of(0, 4, 7, 10, 14),
  };
};

/** The two triangles between the quads, in two layers of 10 m from −20 up; nodes of a vertical line follow each other. */
function layered() {
  const plan = [1, 2, 6, 5].map((corner) => corners[corner]!);
  const wedge = (a: number, b: number, c: number, layer: number) =>
    [layer, layer + 1].flatMap((k) => [3 * a + k, 3 * b + k, 3 * c + k]);
  return {
    nodes: Float64Array.from(plan.flatMap(([x, y]) => [-20, -10, 0].flatMap((z) => [x!, y!, z]))),
    shapes: new Uint8Array(4).fill(CELL_SHAPES.wedge),
    connectivity: Uint32Array.from([wedge(0, 1, 2, 0), wedge(0, 1, 2, 1), wedge(0, 2, 3, 0), wedge(0, 2, 3, 1)].flat()),
    offsets: Uint32Array.of(0, 6, 12, 18, 24),
    layers: { maximum: 2, sigma: 2, columns: Uint32Array.of(0, 2, 4) },
  };
}

function make(wanted: ReadonlySet<Variation>): Mesh {
  const items = itemsOf(wanted).map((item, n): MeshItem => {
    const atNodes = wanted.has('precision:nodes') && n === 1;
    return { ...item, ...(atNodes ? { type: 'Float64' } : {}), location: atNodes ? 'node' : 'cell' };
  });
  const shape = wanted.has('layers') ? layered() : flat(wanted);
  return {
    kind: 'mesh',
    crs: utm32,
    ...shape,
    items,
    ...timeOf(wanted),
    async values(item, step) {
      const count = items[item]!.location === 'node' ? shape.nodes.length / 3 : shape.shapes.length;
      const samples = samplesOf(wanted, items, { item, step, count });
      return items[item]!.location === 'node' ? Float64Array.from(samples, (one) => one + 1 / 3) : samples;
    },
  };
}

export const meshModel: Model = {
  together: [
    'crs',
    'calendar',
    'unit',
    'nodata',
    'precision',
    'order',
    'names',
    'dimensions',
    'quantity',
    'kindOfValue',
    'ids',
  ],
  alone: ['calendar:relative', 'layers', 'precision:integers', 'precision:nodes'],
  make,
};
