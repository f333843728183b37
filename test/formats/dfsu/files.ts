import type { ByteSource } from '../../../src/files/data/bytes.ts';
import type { Mesh } from '../../../src/files/data/mesh.ts';
import { findReader } from '../../../src/files/formats/registry.ts';
import { axes, block, dfsBytes, type TestFile, text, values } from '../dfs/dfs-bytes.ts';

/** A number of its own for each place of each item and step. */
export const value = (item: number, step: number, place: number) => item * 10_000 + step * 100 + place;

export interface MeshSketch {
  nodes: readonly (readonly [x: number, y: number, z: number])[];
  codes?: readonly number[];
  /** Node numbers from 1. */
  elements: readonly (readonly number[])[];
  /** Type of the elements; absent: by their number of nodes. */
  elementType?: number;
  dimension?: number;
  /** Behind nodes, elements and dimension. */
  fm?: readonly number[];
  coordinates?: 'Float32' | 'Float64';
  steps?: number;
  /** Number of items, without the item of heights. */
  items?: number;
  valuesPerItem?: number;
  layered?: boolean;
  frequencies?: readonly number[];
  directions?: readonly number[];
  over?: Partial<TestFile>;
}

const typeOf: Readonly<Record<number, number>> = { 2: 11, 3: 21, 4: 25, 6: 32, 8: 33 };

/** Bytes of a DFSU file, made without the product's writer. */
export function dfsu(sketch: MeshSketch): Buffer {
  const { nodes, elements, steps = 3, items = 2, layered = false, coordinates = 'Float64' } = sketch;
  const size = sketch.valuesPerItem ?? elements.length;
  const item = (n: number) => ({
    name: `Item ${n}`,
    eum: [100_078, 1000] as [number, number],
    axis: axes.line(size),
    steps: Array.from({ length: steps }, (_, step) =>
      Array.from({ length: size }, (_, place) => value(n, step, place)),
    ),
  });
  const heights = {
    name: 'Z coordinate',
    eum: [100_188, 1000] as [number, number],
    axis: axes.line(nodes.length),
    steps: Array.from({ length: steps }, (_, step) => nodes.map(([, , z]) => z + step)),
  };
  const spectrum = [
    ...(sketch.frequencies === undefined
      ? []
      : [{ name: 'Frequency', type: 'Float32' as const, values: sketch.frequencies }]),
    ...(sketch.directions === undefined
      ? []
      : [{ name: 'Direction', type: 'Float32' as const, values: sketch.directions }]),
  ];
  const column = (axis: number) => nodes.map((node) => node[axis]!);
  return dfsBytes({
    dataType: 2001,
    deleteFloat: 1e-35,
    projection: ['UTM-33', 15, 0, 0],
    time: { start: ['2026-01-24', '08:00:00'], interval: 3600 },
    items: [...(layered ? [heights] : []), ...Array.from({ length: items }, (_, n) => item(n))],
    custom: block(
      60000,
      text('MIKE_FM'),
      values('Int32', nodes.length, elements.length, sketch.dimension ?? 2, ...(sketch.fm ?? [0, 0])),
    ),
    statics: [
      { name: 'node id', type: 'Int32', values: nodes.map((_, n) => n + 1) },
      { name: 'x', type: coordinates, values: column(0) },
      { name: 'y', type: coordinates, values: column(1) },
      { name: 'Z-Coordinates', type: 'Float32', values: column(2) },
      { name: 'Z-Coordinates', type: 'Int32', values: sketch.codes ?? nodes.map(() => 0) },
      { name: 'element id', type: 'Int32', values: elements.map((_, n) => n + 1) },
      { name: 'type', type: 'Int32', values: elements.map((one) => sketch.elementType ?? typeOf[one.length]!) },
      { name: 'Nodes per element', type: 'Int32', values: elements.map((one) => one.length) },
      { name: 'Nodes per element', type: 'Int32', values: elements.flat() },
      ...spectrum,
    ],
    ...sketch.over,
  });
}

/** A quad and a triangle. */
export const flat: MeshSketch = {
  nodes: [
    [400_000, 6_100_000, -1],
    [400_100, 6_100_000, -2],
    [400_200, 6_100_050, -3],
    [400_100, 6_100_100, -4],
    [400_000, 6_100_100, -5],
  ],
  codes: [1, 2, 2, 1, 1],
  elements: [
    [1, 2, 4, 5],
    [2, 3, 4],
  ],
};

/** Nodes of vertical lines, each from the bottom up. */
const lines = (places: readonly (readonly [number, number])[], heights: readonly number[]) =>
  places.flatMap(([x, y]) => heights.map((z): [number, number, number] => [x, y, z]));

const corners = [
  [0, 0],
  [10, 0],
  [10, 10],
  [0, 10],
] as const;

/** Two columns of two prisms. */
export const sigma: MeshSketch = {
  nodes: lines(corners, [-20, -10, 0]),
  elements: [
    [1, 4, 7, 2, 5, 8],
    [2, 5, 8, 3, 6, 9],
    [1, 7, 10, 2, 8, 11],
    [2, 8, 11, 3, 9, 12],
  ],
  dimension: 3,
  fm: [2, 2],
  layered: true,
};

/** The second column has only the upper of two cells; one layer is sigma. The engine states four layers. */
export const sigmaZ: MeshSketch = { ...sigma, elements: sigma.elements.filter((_, n) => n !== 2), fm: [4, 1] };

/** Two columns of a vertical plane; the second one has one cell. */
export const profile: MeshSketch = {
  nodes: lines(corners.slice(0, 3), [-20, -10, 0]),
  elements: [
    [1, 4, 5, 2],
    [2, 5, 6, 3],
    [5, 8, 9, 6],
  ],
  fm: [2, 1],
  layered: true,
};

export const column: MeshSketch = {
  nodes: lines(corners.slice(0, 1), [-20, -10, 0]),
  elements: [
    [1, 2],
    [2, 3],
  ],
  dimension: 1,
  fm: [2, 2],
  layered: true,
};

export const context = (lost: string[] = []) => ({
  signal: new AbortController().signal,
  scratch: '',
  log() {},
  progress() {},
  reportLoss: (sentence: string) => void lost.push(sentence),
  remark() {},
  reportBadRecord() {},
  onEnd() {},
});

export const read = async (source: ByteSource, parameters: Record<string, unknown> = {}, lost: string[] = []) =>
  (await findReader('DfsuReader')!.read(source, parameters, context(lost))) as Mesh;
