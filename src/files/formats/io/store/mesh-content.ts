import { defined } from '../../../data/defined.ts';
import { CELL_SHAPES, type Mesh, type MeshItem } from '../../../data/mesh.ts';
import { cellCount, nodeCoordinates, nodeCount, placeCount } from '../../../data/mesh-cells.ts';
import { sampleTypeOf } from '../../../data/samples.ts';
import { stepsOf } from '../../../data/time-axis.ts';
import type { KnownCrs } from '../../../geo/crs/crs.ts';
import { contentOf, storedPlaceOf } from '../dfs/origin.ts';
import { AxisArrays } from './axes.ts';
import { type ItemArray, itemShape, type StoreContent, type WholeArray, wholeArray } from './content.ts';
import { CRS, coordinateAttributes, crsArray, known, scalar } from './crs.ts';
import { ATTRIBUTE } from './description.ts';
import { ArrayNames, describedItem, itemAttributes, storedItem } from './items.ts';
import type { MeshNames, StoreNaming } from './naming.ts';
import { sourceOf, titleAttribute } from './source-file.ts';
import { describedTime, TIME } from './time.ts';

/** Most nodes of a cell that is padded. */
export const mostPadded = 8;

/** A mesh as arrays `[time, (components,) cell or node]`, with a topology variable of UGRID. */
export async function meshContent(mesh: Mesh, naming: StoreNaming): Promise<StoreContent> {
  const { crs, located, section, layers, items, name, time } = mesh;
  const system = located === false ? undefined : await known(crs);
  const meshArrays = naming.mesh;
  const names = new ArrayNames([CRS, TIME, ...Object.values(meshArrays).map(String)], naming);

  const arrays = items.map((item, n) => names.claim(item.name ?? `Item ${n + 1}`));
  const axes = new AxisArrays(names);
  const components = items.map((item) => (item.components ?? []).map((axis) => axes.share(axis)));
  const geometry = geometryArrays(mesh, system, meshArrays);
  const source = sourceOf(mesh);
  const description = defined({
    version: 1,
    kind: 'mesh',
    name,
    located,
    dfs: dfsOf(mesh),
    source,
    spectrum: mesh.spectrum?.map((axis) => axes.share(axis)),
    section,
    layers: layers && { maximum: layers.maximum, sigma: layers.sigma },
    crs,
    time: time && describedTime(time),
    items: items.map((item, n) =>
      defined({
        ...describedItem(item, arrays[n]!),
        location: item.location,
        components: item.components && components[n],
      }),
    ),
  });
  return {
    attributes: { Conventions: 'CF-1.11 UGRID-1.0', ...titleAttribute(source), [ATTRIBUTE]: description },
    time,
    scalars: [...(system === undefined ? [] : [crsArray(system)]), topology(mesh, meshArrays)],
    wholes: [...geometry, ...axes.wholes],
    items: [
      ...(await heightArray(mesh, meshArrays)),
      ...items.map((item, n) =>
        itemArray(mesh, item, n, {
          name: arrays[n]!,
          components: components[n]!.map(({ array }) => array),
          mapped: system !== undefined,
          meshArrays,
        }),
      ),
    ],
  };
}

/** The projection as the DFSU file of the mesh says it. */
function dfsOf(mesh: Mesh) {
  const stored = storedPlaceOf(mesh);
  const from = contentOf(mesh);
  const projection = stored?.projection ?? (from?.crs === mesh.crs ? from?.file.header.projection : undefined);
  return projection && { projection };
}

const solids: readonly number[] = [
  CELL_SHAPES.tetrahedron,
  CELL_SHAPES.hexahedron,
  CELL_SHAPES.wedge,
  CELL_SHAPES.pyramid,
];
const lines: readonly number[] = [CELL_SHAPES.line, CELL_SHAPES.polyline];

/** UGRID's name of the cells. */
function cellsAs({ shapes }: Mesh): 'face' | 'edge' | 'volume' {
  if (shapes.some((shape) => solids.includes(shape))) return 'volume';
  return shapes.length > 0 && shapes.every((shape) => lines.includes(shape)) ? 'edge' : 'face';
}

const isPadded = ({ offsets }: Mesh): boolean => {
  for (let cell = 0; cell + 1 < offsets.length; cell++)
    if (offsets[cell + 1]! - offsets[cell]! > mostPadded) return false;
  return true;
};

function topology(mesh: Mesh, meshArrays: MeshNames) {
  const { topology: name, x, y, padded } = meshArrays;
  const cells = cellsAs(mesh);
  const dimension = { edge: 1, face: 2, volume: 3 }[cells];
  return scalar(name, {
    cf_role: 'mesh_topology',
    topology_dimension: dimension,
    node_coordinates: `${x} ${y}`,
    [`${cells}_dimension`]: meshArrays.cell,
    ...(isPadded(mesh) ? { [`${cells}_node_connectivity`]: padded } : {}),
  });
}

function geometryArrays(mesh: Mesh, system: KnownCrs | undefined, meshArrays: MeshNames): WholeArray[] {
  const [nodes, cells] = [nodeCount(mesh), cellCount(mesh)];
  const coordinate = (axis: 0 | 1 | 2) => nodeCoordinates(mesh.nodes, axis);
  const ofNodes = (attributes = {}) => ({ dimensions: [meshArrays.node], shape: [nodes], attributes });
  const ofCells = { dimensions: [meshArrays.cell], shape: [cells] };
  const { nodeCodes, nodeIds, cellIds, layers } = mesh;
  return [
    wholeArray(meshArrays.x, 'Float64', coordinate(0), ofNodes(coordinateAttributes('x', system))),
    wholeArray(meshArrays.y, 'Float64', coordinate(1), ofNodes(coordinateAttributes('y', system))),
    wholeArray(meshArrays.z, 'Float64', coordinate(2), ofNodes({ positive: 'up' })),
    wholeArray(meshArrays.shapes, 'UInt8', mesh.shapes, ofCells),
    ...cellArrays(mesh, meshArrays),
    ...(nodeCodes === undefined ? [] : [wholeArray(meshArrays.codes, 'Int32', nodeCodes, ofNodes())]),
    ...(nodeIds === undefined ? [] : [wholeArray(meshArrays.nodeIds, 'Int32', nodeIds, ofNodes())]),
    ...(cellIds === undefined ? [] : [wholeArray(meshArrays.cellIds, 'Int32', cellIds, ofCells)]),
    ...(layers === undefined
      ? []
      : [
          wholeArray(meshArrays.columns, 'UInt32', layers.columns, {
            dimensions: ['column_limit'],
            shape: [layers.columns.length],
          }),
        ]),
  ];
}

function cellArrays(mesh: Mesh, meshArrays: MeshNames): WholeArray[] {
  const { connectivity, offsets } = mesh;
  const cells = cellCount(mesh);
  if (!isPadded(mesh))
    return [
      wholeArray(meshArrays.flat, 'UInt32', connectivity, {
        dimensions: ['cell_node'],
        shape: [connectivity.length],
      }),
      wholeArray(meshArrays.offsets, 'UInt32', offsets, { dimensions: ['cell_limit'], shape: [offsets.length] }),
    ];
  let most = 1;
  for (let cell = 0; cell < cells; cell++) most = Math.max(most, offsets[cell + 1]! - offsets[cell]!);
  const table = new Int32Array(cells * most).fill(-1);
  for (let cell = 0; cell < cells; cell++)
    for (let n = offsets[cell]!; n < offsets[cell + 1]!; n++)
      table[cell * most + n - offsets[cell]!] = connectivity[n]! + meshArrays.firstNode;
  const { spec, values } = wholeArray(meshArrays.padded, 'Int32', table, {
    dimensions: [meshArrays.cell, 'cell_corner'],
    shape: [cells, most],
    attributes: {
      cf_role: `${cellsAs(mesh)}_node_connectivity`,
      start_index: meshArrays.firstNode,
      ...(most === 2 ? {} : { _FillValue: -1 }),
    },
  });
  return [{ spec: { ...spec, fill: -1 }, values }];
}

/** The heights of the nodes that move, which are no item. */
async function heightArray(mesh: Mesh, meshArrays: MeshNames): Promise<ItemArray[]> {
  const { heights, time } = mesh;
  if (heights === undefined) return [];
  const type = stepsOf(mesh) === 0 ? 'Float64' : sampleTypeOf(await heights(0));
  return [
    {
      spec: {
        name: meshArrays.heights,
        ...itemShape(time, type, [meshArrays.node], [nodeCount(mesh)]),
        fill: Number.NaN,
        attributes: { long_name: 'height of the nodes', positive: 'up', mesh: meshArrays.topology, location: 'node' },
      },
      timed: time !== undefined,
      async *values(step) {
        yield await heights(step);
      },
    },
  ];
}

function itemArray(
  mesh: Mesh,
  item: MeshItem,
  n: number,
  {
    name,
    components,
    mapped,
    meshArrays,
  }: { name: string; components: readonly string[]; mapped: boolean; meshArrays: MeshNames },
): ItemArray {
  const { time } = mesh;
  const { type, fill } = storedItem(item);
  const lengths = [...(item.components ?? []).map(({ values }) => values.length), placeCount(mesh, item)];
  return {
    spec: {
      name,
      ...itemShape(time, type, [...components, meshArrays[item.location]], lengths),
      fill,
      attributes: {
        ...itemAttributes(item, type, fill),
        mesh: meshArrays.topology,
        location: item.location === 'node' ? 'node' : cellsAs(mesh),
        coordinates: item.location === 'node' ? `${meshArrays.x} ${meshArrays.y}` : undefined,
        ...(mapped ? { grid_mapping: CRS } : {}),
      },
    },
    timed: time !== undefined,
    async *values(step) {
      yield await mesh.values(n, step);
    },
  };
}
