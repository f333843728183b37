import { bathymetry, withBathymetry } from '../../data/bathymetry.ts';
import { withFans } from '../../data/fans.ts';
import type { Samples } from '../../data/item.ts';
import type { Mesh, MeshItem } from '../../data/mesh.ts';
import { componentCount, nodeCoordinates, nodeCount, nodeMeans, placeCount } from '../../data/mesh-cells.ts';
import { stepsOf } from '../../data/time-axis.ts';
import { ConversionError } from '../../errors.ts';
import type { Context, Write } from '../define.ts';
import { equidistantAxis } from '../io/dfs/axes.ts';
import { copyDfs } from '../io/dfs/copy.ts';
import { DfsWriter } from '../io/dfs/dfs-writer.ts';
import { newItems } from '../io/dfs/items.ts';
import { newDeleteValues, newHeader } from '../io/dfs/new-header.ts';
import { contentOf, factsOf, hasNaNAsValue, projectionOf, unchangedFile } from '../io/dfs/origin.ts';
import { newTime } from '../io/dfs/time.ts';
import { toDfsArray } from '../io/dfs/typed-array.ts';
import { heightItem, planLayout } from './layout.ts';
import { MIKE_FM, mikeFmNumbers } from './mike-fm.ts';
import type { writeParameters } from './parameters.ts';

export const write: Write<typeof writeParameters, 'mesh'> = async (given, options, sink, context) => {
  const same = unchangedFile(given, 'dfsu', options);
  if (same !== undefined) {
    // Steps are read also for an unchanged copy, because the receipt's statistics count what is read.
    for (let step = 0; step < stepsOf(given); step++)
      for (let item = 0; item < given.items.length; item++) await given.values(item, step);
    return copyDfs(same, sink, context.signal);
  }
  const mesh = inElements(inTriangles(given, context), context);
  const from = contentOf(mesh)?.file.header;
  const { dataType, fm, statics } = await planLayout(mesh, context);
  const layered = fm.layers > 0;
  const { time, offsets } = newTime(mesh.time);
  const stored: MeshItem[] = layered
    ? [{ ...heightItem, type: 'Float32', location: 'node' }, ...mesh.items]
    : [...mesh.items];
  // DFSU files use the positive one of the usual delete values, also for the bathymetry.
  const deleteValues = newDeleteValues([...mesh.items, bathymetry], from);
  const axisOf = (item: MeshItem) => equidistantAxis([placeCount(mesh, item) * componentCount(item)]);
  const { items, encoders } = newItems(
    stored,
    { ...options, deleteValues, keepNaN: hasNaNAsValue(mesh), axisOf },
    context,
  );
  const header = newHeader(
    {
      ...factsOf(mesh),
      items,
      time,
      deleteValues,
      dataType,
      statisticsType: 1,
      projection: await projectionOf(mesh),
      custom: [{ name: MIKE_FM, values: toDfsArray(mikeFmNumbers(fm)) }],
      statics,
    },
    from,
  );
  const writer = await DfsWriter.begin(header, sink);
  for (let step = 0; step < stepsOf(mesh); step++) {
    context.signal.throwIfAborted();
    writer.beginStep(offsets[step] ?? 0);
    for (const [n, encoder] of encoders.entries()) {
      const values = layered
        ? n === 0
          ? await heightsAt(mesh, step)
          : await mesh.values(n - 1, step)
        : await mesh.values(n, step);
      await writer.add(encoder.encode(values));
    }
  }
  await writer.end();
  for (const encoder of encoders) encoder.report(context);
};

/** A mesh whose polygons of more than four nodes are cut into triangles. */
function inTriangles(mesh: Mesh, { reportLoss }: Context): Mesh {
  const cut = withFans(mesh);
  if (cut === undefined) return mesh;
  reportLoss(
    `${cut.polygons} elements of more than four nodes became fans of triangles, each with the values of its element.`,
  );
  return cut.mesh;
}

/** Moves all values to the elements. A mesh without items gets its heights as the item Bathymetry. */
function inElements(mesh: Mesh, { reportLoss }: Context): Mesh {
  if (mesh.layers === undefined && mesh.heights !== undefined)
    reportLoss('The heights of the nodes change over time; a DFSU file without layers stores only those of the mesh.');
  if (mesh.items.length === 0) return withBathymetry(mesh);
  const moved = (item: MeshItem) => item.location === 'node' && item.components === undefined;
  if (!mesh.items.some(moved)) return mesh;
  reportLoss('A DFSU file has values in elements: values at nodes became the mean of the nodes of each element.');
  return {
    ...mesh,
    items: mesh.items.map((item) => (moved(item) ? { ...item, location: 'cell' } : item)),
    values: async (item, step) => {
      const values = await mesh.values(item, step);
      return moved(mesh.items[item]!) ? nodeMeans(mesh, values, mesh.items[item]!) : values;
    },
  };
}

/** Heights of the nodes at a step; if they do not vary over time, those of the mesh. */
async function heightsAt(mesh: Mesh, step: number): Promise<Samples> {
  const heights = (await mesh.heights?.(step)) ?? nodeCoordinates(mesh.nodes, 2);
  if (heights.length !== nodeCount(mesh))
    throw new ConversionError(`A step has ${heights.length} heights for ${nodeCount(mesh)} nodes.`);
  return heights instanceof Float32Array ? heights : Float32Array.from(heights);
}
