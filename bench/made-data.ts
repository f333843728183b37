import { availableParallelism, tmpdir } from 'node:os';
import type { Data } from '../src/files/data/data.ts';
import type { Grid } from '../src/files/data/grid.ts';
import { CELL_SHAPES, type Mesh } from '../src/files/data/mesh.ts';
import type { Series } from '../src/files/data/series.ts';
import type { EquidistantAxis } from '../src/files/data/time-axis.ts';
import type { Context } from '../src/files/formats/define.ts';
import { FileSink } from '../src/files/formats/io/bytes.ts';
import { completeParameters } from '../src/files/formats/parameters.ts';
import { findWriter } from '../src/files/formats/registry.ts';

/** Nodes along each side of the mesh: 250,000 nodes, 498,002 triangles. */
export const meshSide = 500;
export const triangles = 2 * (meshSide - 1) ** 2;
const crs = { authority: 'EPSG', code: 32632 } as const;
const begin = Date.UTC(2026, 0, 24);

const hourly = (count: number): EquidistantAxis => ({
  spacing: 'equidistant',
  unit: 'hour',
  start: begin,
  count,
  offset: 0,
  interval: 1,
});

/** Values of an item: the same ones at each step, shifted. The memory belongs to the caller. */
function shifting(count: number, valueAt: (place: number) => number): (step: number) => Float32Array {
  const base = Float32Array.from({ length: count }, (_, place) => valueAt(place));
  return (step) => {
    const cut = (step * 997) % count;
    const values = new Float32Array(count);
    values.set(base.subarray(cut));
    values.set(base.subarray(0, cut), count - cut);
    return values;
  };
}

/** Triangles with three items; without `steps`, of one step without a time. @param side nodes along each side */
export function madeMesh(steps?: number, side = meshSide): Mesh {
  const triangles = 2 * (side - 1) ** 2;
  const nodes = new Float64Array(3 * side * side);
  for (let n = 0; n < side * side; n++) {
    const [row, column] = [Math.floor(n / side), n % side];
    nodes[3 * n] = 500_000 + 40 * column + Math.sin(n * 0.7);
    nodes[3 * n + 1] = 6_000_000 + 40 * row + Math.cos(n * 0.9);
    nodes[3 * n + 2] = -20 + 10 * Math.sin(column / 50) * Math.cos(row / 70);
  }
  const connectivity = new Uint32Array(3 * triangles);
  let at = 0;
  for (let row = 0; row < side - 1; row++)
    for (let column = 0; column < side - 1; column++) {
      const first = row * side + column;
      const above = first + side;
      connectivity.set([first, first + 1, above + 1, first, above + 1, above], at);
      at += 6;
    }
  const items = [1e-4, 1e-3, 1e-2].map((pace) => shifting(triangles, (cell) => Math.sin(cell * pace) * 3));
  return {
    kind: 'mesh',
    crs,
    nodes,
    shapes: new Uint8Array(triangles).fill(CELL_SHAPES.triangle),
    connectivity,
    offsets: Uint32Array.from({ length: triangles + 1 }, (_, cell) => 3 * cell),
    items: ['Surface elevation', 'U velocity', 'V velocity'].map((name) => ({
      name,
      location: 'cell',
      type: 'Float32',
    })),
    ...(steps === undefined ? {} : { time: hourly(steps) }),
    values: async (item, step) => items[item]!(step),
  };
}

/** A grid of 1000 × 1000 cells with two items, without values in a corner. */
export function madeGrid(steps: number): Grid {
  const side = 1000;
  const nodata = -9999;
  const items = [37, 91].map((pace) =>
    shifting(side * side, (cell) => (cell < 60_000 ? nodata : Math.sin(cell / pace) * Math.cos(cell / 5000) * 4)),
  );
  return {
    kind: 'grid',
    crs,
    width: side,
    height: side,
    affine: [500_000, 50, 0, 6_000_000, 0, 50],
    bands: ['Water depth', 'Current speed'].map((name) => ({ name, type: 'Float32', nodata })),
    time: hourly(steps),
    async *rows({ band, step }) {
      yield { firstRow: 0, rowCount: side, samples: items[band]!(step) };
    },
  };
}

/** Eight series in single precision. */
export function madeSeries(steps: number): Series {
  const names = Array.from({ length: 8 }, (_, n) => `Gauge ${n + 1}`);
  const chunk = 10_000;
  return {
    kind: 'series',
    items: names.map((name) => ({ name, type: 'Float32' })),
    time: { ...hourly(steps), unit: 'minute' },
    async *chunks() {
      for (let firstStep = 0; firstStep < steps; firstStep += chunk) {
        const count = Math.min(chunk, steps - firstStep);
        const offsets = Float64Array.from({ length: count }, (_, n) => firstStep + n);
        const values = names.map((_, item) => Float32Array.from(offsets, (time) => Math.sin(time / (100 + item)) * 2));
        yield { firstStep, offsets, values };
      }
    },
  };
}

/** The context of a conversion, whose remarks are ignored. */
export const quietContext = (): Context => {
  const nothing = () => {};
  return {
    signal: new AbortController().signal,
    scratch: tmpdir(),
    threads: availableParallelism(),
    log: nothing,
    reportLoss: nothing,
    remark: nothing,
    progress: nothing,
    reportBadRecord: nothing,
    onEnd: nothing,
  };
};

/** The file of a writer. */
export async function writeData(data: Data, writer: string, path: string, { checksum = true } = {}): Promise<void> {
  const sink = await FileSink.create(path, { checksum });
  const found = findWriter(writer)!;
  await found.write(data as never, completeParameters(found, {}) as never, sink, quietContext());
  if (checksum) await sink.checksum();
  else await sink.flush();
  await sink.close();
}
