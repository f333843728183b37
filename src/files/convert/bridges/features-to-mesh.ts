import { withBathymetry } from '../../data/bathymetry.ts';
import { strideOf } from '../../data/dimensions.ts';
import type { FeatureCollection, Field, Geometry } from '../../data/feature-collection.ts';
import type { Samples } from '../../data/item.ts';
import { CELL_SHAPES, type Mesh, type MeshItem } from '../../data/mesh.ts';
import { sampleArrays } from '../../data/samples.ts';
import { ConversionError, FormatError } from '../../errors.ts';
import { reportFeatureIds, reportFeatureParts } from '../../formats/io/left-out.ts';
import { delaunayTriangles } from '../../geo/mesh/constrained-delaunay.ts';
import { meshPolygons, type PolygonMesh } from '../../geo/mesh/mesh-polygons.ts';
import { planarGraph, VertexSet } from '../../geo/mesh/planar-graph.ts';
import { triangleQuality } from '../../geo/mesh/quality.ts';
import { TooManyTriangles } from '../../geo/mesh/refine.ts';
import type { Chain } from '../../geo/vector/edge-tree.ts';
import { PreparedGeometry } from '../../geo/vector/prepared-geometry.ts';
import { doubleSignedArea } from '../../geo/vector/rings.ts';
import type { BridgeWork } from './bridge.ts';

/** Larger inputs and meshes do not fit into the memory of a conversion. */
const maxVertices = 2_000_000;
const maxElements = 2_000_000;
/** Number of elements for the default of MaximumElementArea, which is this share of the total area. */
const defaultElements = 1000;
const nodata = Math.fround(1e-35);

/**
 * Triangulates polygons with a maximum element area and a minimum angle: vertices stay nodes, shared borders have the
 * same nodes, holes stay holes. A layer of points gets its Delaunay triangulation. Numeric fields become items; without
 * any, the heights become the item `Bathymetry`. Boundary nodes have code 1.
 */
export async function featuresToMesh(features: FeatureCollection, work: BridgeWork): Promise<Mesh> {
  const { context } = work;
  reportFeatureParts(features, 'Meshes', context);
  const input = await Input.read(features, context.signal);
  const { polygons, points, skipped } = input;
  if (polygons === 0 && points === 0)
    throw new ConversionError('A mesh is made of polygons or points; the features are neither.');
  if (polygons > 0 && points > 0) context.reportLoss(`${points} points among the polygons were left out of the mesh.`);
  if (input.placeless > 0)
    context.reportLoss(`${input.placeless} features have no geometry and were left out of the mesh.`);
  if (skipped > 0)
    context.reportLoss(`${skipped} features are neither polygons nor points and were left out of the mesh.`);
  if (input.hasIds) reportFeatureIds('Meshes', context);
  const made = polygons > 0 ? ofPolygons(input, work) : ofPoints(input, work);
  const elements = made.triangles.length / 3;
  const triangles = `${elements} triangles in an order of their own`;
  context.reportLoss(
    polygons > 0
      ? `The polygons became ${triangles}, each with the values of its polygon.`
      : `The points became nodes of ${triangles}; the values of a triangle are the mean of its three points.`,
  );
  if (input.numeric.some((_, item) => input.isEmpty(item)))
    context.remark('Numbers that features do not have (null) became elements without data.');
  work.quality({ nodes: made.nodes.length / 3, elements, ...triangleQuality(made) });
  return meshOf(features, input, made);
}

/** A mesh like that of the features as far as their header tells: of one triangle. */
export function meshLikeFeatures(features: FeatureCollection): Mesh {
  const values = () => new Float32Array(1);
  const one = { nodes: Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0), triangles: Uint32Array.of(0, 1, 2), values };
  return meshOf(features, new Input(features), { ...one, onRim: Uint8Array.of(1, 1, 1) });
}

function meshOf({ crs }: FeatureCollection, { numeric, types }: Input, made: Made): Mesh {
  const elements = made.triangles.length / 3;
  const items = numeric.map(
    ({ field: { name } }, n): MeshItem => ({ name, ...(types[n] && { type: types[n] }), nodata, location: 'cell' }),
  );
  const mesh: Mesh = {
    kind: 'mesh',
    ...(crs === undefined ? {} : { crs }),
    nodes: made.nodes,
    nodeCodes: Int32Array.from(made.onRim),
    shapes: new Uint8Array(elements).fill(CELL_SHAPES.triangle),
    connectivity: made.triangles,
    offsets: Uint32Array.from({ length: elements + 1 }, (_, n) => 3 * n),
    items,
    values: async (item) => made.values(item),
  };
  return items.length === 0 ? withBathymetry(mesh) : mesh;
}

type Made = Pick<PolygonMesh, 'nodes' | 'triangles' | 'onRim'> & { values(item: number): Samples };

function ofPolygons(input: Input, { parameters, context }: BridgeWork): Made {
  const total = input.area;
  const maximumArea = Number(parameters.MaximumElementArea ?? total / defaultElements);
  if (total / maximumArea > maxElements)
    throw new ConversionError(
      `An area of ${total} needs more than ${maxElements} elements of at most ${maximumArea}. Give a larger MaximumElementArea.`,
    );
  const graph = planarGraph(input.corners, input.ends, (segment) => `polygon ${input.owners[segment]! + 1}`);
  const limits = {
    maximumArea,
    minimumAngle: Number(parameters.MinimumAngle ?? 26),
    maximumTriangles: 2 * maxElements,
  };
  try {
    const made = meshPolygons(graph, new PreparedGeometry(input.chains), limits, context.signal);
    const { polygons } = made;
    return {
      ...made,
      values: (item) => input.samples(item, polygons.length, (element) => input.value(item, polygons[element]!)),
    };
  } catch (error) {
    if (!(error instanceof TooManyTriangles)) throw error;
    throw new ConversionError(
      `The mesh would have more than ${maxElements} elements. Give a larger MaximumElementArea or a smaller MinimumAngle.`,
    );
  }
}

function ofPoints(input: Input, { context }: BridgeWork): Made {
  const { x, y, z } = input.places;
  if (x.length < input.points)
    context.reportLoss(
      `${input.points - x.length} points with the coordinates of another one were left out of the mesh.`,
    );
  const { triangles, onRim } = delaunayTriangles(Float64Array.from(x), Float64Array.from(y));
  if (triangles.length === 0)
    throw new ConversionError(
      'The points lie on one line, or are fewer than three. A triangulation needs three points that do not.',
    );
  const nodes = Float64Array.from({ length: 3 * x.length }, (_, n) => [x, y, z][n % 3]![Math.floor(n / 3)]!);
  const mean = (item: number, element: number) => {
    let sum = 0;
    for (let k = 0; k < 3; k++) {
      const value = input.value(item, input.pointAt[triangles[3 * element + k]!]!);
      if (value === nodata) return nodata;
      sum += value;
    }
    return sum / 3;
  };
  return {
    nodes,
    triangles,
    onRim,
    values: (item) => input.samples(item, triangles.length / 3, (element) => mean(item, element)),
  };
}

interface NumericField {
  readonly field: Field;
  readonly place: number;
}

/** All features, held in memory: a triangulation needs them at once. */
class Input {
  readonly numeric: readonly NumericField[];
  /** Double precision where single would round a number of the field, so that the writer decides and reports. */
  types: readonly ('Float32' | 'Float64')[] = [];
  /** Number of polygons, and of points. */
  readonly corners = new VertexSet();
  readonly places = new VertexSet();
  /** Ends of the segments of rings, and the polygon of each. */
  readonly ends: number[] = [];
  readonly owners: number[] = [];
  readonly chains: Chain[] = [];
  /** The feature of each vertex of a layer of points. */
  readonly pointAt: number[] = [];
  area = 0;
  polygons = 0;
  points = 0;
  skipped = 0;
  hasIds = false;
  /** Number of features without a geometry. */
  placeless = 0;
  readonly #hasZ: boolean;
  readonly #stride: number;
  readonly #values: Float64Array[] = [];

  static async read(features: FeatureCollection, signal: AbortSignal): Promise<Input> {
    const input = new Input(features);
    for await (const chunk of features.chunks()) {
      signal.throwIfAborted();
      for (const { id, geometry, values } of chunk) {
        input.hasIds ||= id !== undefined;
        if (geometry === undefined) input.placeless++;
        input.#values.push(Float64Array.from(input.numeric, ({ place }) => numberOf(values[place])));
        input.#add(geometry, input.#values.length - 1);
      }
    }
    input.types = input.numeric.map((_, n) =>
      input.#values.every((values) => Object.is(Math.fround(values[n]!), values[n])) ? 'Float32' : 'Float64',
    );
    return input;
  }

  constructor(features: FeatureCollection) {
    this.numeric = features.fields.flatMap((field, place) =>
      ['integer', 'integer64', 'real'].includes(field.type) ? [{ field, place }] : [],
    );
    this.#hasZ = features.hasZ;
    this.#stride = strideOf(features);
  }

  /** Values of a numeric field at the elements, in its type. */
  samples(item: number, elements: number, valueAt: (element: number) => number): Samples {
    const samples = new sampleArrays[this.types[item]!](elements);
    for (let element = 0; element < elements; element++) samples[element] = valueAt(element);
    return samples;
  }

  /** Whether a feature has no value in a numeric field. */
  isEmpty = (item: number): boolean => this.#values.some((values) => Number.isNaN(values[item]));

  /** Value of a numeric field of a feature. */
  value(item: number, feature: number): number {
    const value = this.#values[feature]![item]!;
    return Number.isNaN(value) ? nodata : value;
  }

  #add(geometry: Geometry | undefined, feature: number): void {
    if (geometry === undefined) return;
    if (geometry.type === 'GeometryCollection') for (const member of geometry.members ?? []) this.#add(member, feature);
    else if (geometry.type.endsWith('Polygon')) this.#addPolygon(geometry, feature);
    else if (geometry.type.endsWith('Point')) this.#addPoints(geometry, feature);
    else this.skipped++;
  }

  #addPolygon(
    { coordinates, parts = new Uint32Array(1), polygons = new Uint32Array(1) }: Geometry,
    feature: number,
  ): void {
    const stride = this.#stride;
    const vertices = coordinates.length / stride;
    if (vertices === 0) return;
    this.polygons++;
    const outer = new Set(polygons);
    for (const [n, first] of parts.entries()) {
      const end = parts[n + 1] ?? vertices;
      const xy = new Float64Array(2 * (end - first + 1));
      let before = this.#vertex(this.corners, coordinates, end - 1, feature);
      for (let i = first; i <= end; i++) {
        const at = i === end ? first : i;
        xy.set(coordinates.subarray(at * stride, at * stride + 2), 2 * (i - first));
        if (i === end) break;
        const vertex = this.#vertex(this.corners, coordinates, i, feature);
        if (vertex !== before) {
          this.ends.push(before, vertex);
          this.owners.push(feature);
        }
        before = vertex;
      }
      this.chains.push({ xy, polygon: feature });
      const area = Math.abs(doubleSignedArea(coordinates, stride, first, end)) / 2;
      this.area += outer.has(n) ? area : -area;
    }
  }

  #addPoints({ coordinates }: Geometry, feature: number): void {
    for (let n = 0; n < coordinates.length / this.#stride; n++) {
      this.points++;
      const before = this.places.x.length;
      this.#vertex(this.places, coordinates, n, feature);
      if (this.places.x.length > before) this.pointAt[before] = feature;
    }
  }

  #vertex(set: VertexSet, coordinates: Float64Array, n: number, feature: number): number {
    const [x, y] = [coordinates[n * this.#stride]!, coordinates[n * this.#stride + 1]!];
    if (!Number.isFinite(x) || !Number.isFinite(y))
      throw new FormatError(`Feature ${feature + 1} has the vertex (${x}, ${y}), which is not finite.`);
    const z = this.#hasZ ? coordinates[n * this.#stride + 2]! : 0;
    const number = set.add(x, y, Number.isFinite(z) ? z : 0);
    if (set.x.length > maxVertices)
      throw new ConversionError(`The features have more than ${maxVertices} vertices, too many for a mesh.`);
    return number;
  }
}

const numberOf = (value: unknown): number =>
  typeof value === 'number' || typeof value === 'bigint' ? Number(value) : Number.NaN;
