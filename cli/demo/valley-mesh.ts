import { CELL_SHAPES, type Mesh } from 'hydrofiles/data';
import { meshPolygons, PreparedGeometry, planarGraph, VertexSet } from 'hydrofiles/geometry';
import type { Terrain } from './terrain.ts';

/**
 * Distances in metres: between the nodes along the river, from its middle to its banks, between the nodes of the rim.
 */
const RIVER_STEP = 75;
const BANK = 65;
const RIM_STEP = 250;
/** Metres for which its lines go on in the lake. */
const INTO_LAKE = 300;
/** Largest element in square metres. */
const LARGEST = 12_000;
/** The mesh ends at this height above the river bed, between these distances from the river in metres. */
const FREEBOARD = 13;
const NEAREST = 350;
const FARTHEST = 2200;
/** Boundary codes, as in a MIKE mesh file. */
const codes = { land: 1, upstream: 2, downstream: 3 } as const;

export type ValleyMesh = Pick<Mesh, 'nodes' | 'nodeCodes' | 'shapes' | 'connectivity' | 'offsets'>;

/** A flexible mesh of the valley's floor, finer along the river, with the heights of the ground. */
export function makeValleyMesh({ valley, south, rows, cell }: Terrain): ValleyMesh {
  const north = south + rows * cell;
  const corners = new VertexSet();
  const ends: number[] = [];
  const addLine = (places: readonly Point[]) => {
    const numbers = places.map(([x, y]) => corners.add(x, y, 0));
    for (let n = 1; n < numbers.length; n++) ends.push(numbers[n - 1]!, numbers[n]!);
  };
  const rim = traceRim(valley, evenly(north, south, RIM_STEP));
  addLine(rim);
  for (const line of riverLines(valley, evenly(north, south, RIVER_STEP))) addLine(line);
  const made = meshPolygons(
    planarGraph(corners, ends, () => 'the valley'),
    new PreparedGeometry([{ xy: Float64Array.from(rim.flat()), polygon: 0 }]),
    { maximumArea: LARGEST, minimumAngle: 28, maximumTriangles: 100_000 },
    new AbortController().signal,
  );
  const { nodes, triangles } = made;
  for (let n = 0; n < nodes.length; n += 3) nodes[n + 2] = valley.groundAt(nodes[n]!, nodes[n + 1]!);
  const elements = triangles.length / 3;
  return {
    nodes,
    nodeCodes: Int32Array.from(made.onRim, (onRim, n) => {
      if (onRim === 0) return 0;
      const y = nodes[3 * n + 1]!;
      return y === north ? codes.upstream : y === south ? codes.downstream : codes.land;
    }),
    shapes: new Uint8Array(elements).fill(CELL_SHAPES.triangle),
    connectivity: triangles,
    offsets: Uint32Array.from({ length: elements + 1 }, (_, n) => 3 * n),
  };
}

type Point = readonly [x: number, y: number];

/** From one northing to another, both included. */
function evenly(from: number, to: number, step: number): number[] {
  const count = Math.round(Math.abs(to - from) / step);
  return Array.from({ length: count + 1 }, (_, n) => from + (n * (to - from)) / count);
}

/** The closed line around the floor of the valley. */
function traceRim(valley: Terrain['valley'], northings: readonly number[]): Point[] {
  const side = (sign: 1 | -1) => {
    const widths = smoothed(northings.map((y) => widthAt(valley, y, sign)));
    return northings.map((y, n): Point => [valley.riverAt(y) + sign * widths[n]!, y]);
  };
  const [west, east] = [side(-1), side(1)];
  return [...west, ...east.reverse(), west[0]!];
}

/** Metres from the river to where the valley's floor ends. */
function widthAt({ riverAt, groundAt, isLake, bedAt }: Terrain['valley'], y: number, sign: 1 | -1): number {
  let width = NEAREST;
  const [middle, high] = [riverAt(y), bedAt(y) + FREEBOARD];
  const isFloor = (x: number) => isLake(x, y) || groundAt(x, y) < high;
  while (width < FARTHEST && isFloor(middle + sign * width)) width += 25;
  return width;
}

/** Means of each number and its two neighbours on each side. */
const smoothed = (numbers: readonly number[]): number[] =>
  numbers.map((_, n) => {
    const around = numbers.slice(Math.max(0, n - 2), n + 3);
    return around.reduce((sum, one) => sum + one, 0) / around.length;
  });

/** The middle and both banks of the river, above and below the lake and where it runs in and out. */
function riverLines({ riverAt, isLake }: Terrain['valley'], northings: readonly number[]): Point[][] {
  const reaches: number[][] = [[]];
  const isOpenWater = (y: number) => [-INTO_LAKE, 0, INTO_LAKE].every((off) => isLake(riverAt(y + off), y + off));
  for (const y of northings)
    if (!isOpenWater(y)) reaches.at(-1)!.push(y);
    else if (reaches.at(-1)!.length > 0) reaches.push([]);
  return reaches.flatMap((reach) =>
    [-BANK, 0, BANK].map((beside) => reach.map((y): Point => [riverAt(y) + beside, y])),
  );
}
