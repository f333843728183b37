import type { Crs } from '../../data/crs-reference.ts';
import type { Mesh } from '../../data/mesh.ts';
import { nodeCoordinates, nodeCount } from '../../data/mesh-cells.ts';
import { FormatError } from '../../errors.ts';
import type { Context } from '../../formats/define.ts';
import { describeCrs } from '../../geo/crs/crs.ts';
import { transformer } from '../../geo/crs/transform.ts';
import { crossingCells, crossingSentence } from './antimeridian.ts';
import type { Reprojected } from './input-crs.ts';

/**
 * Reprojects a mesh: transforms x and y of its nodes. Heights and values stay as they are; vectors keep their
 * components along the axes of the original coordinate system.
 * @throws FormatError for a node that cannot be transformed, because its cells need it
 */
export async function reprojectedMesh(mesh: Mesh, target: Crs, context: Context): Promise<Reprojected<Mesh>> {
  const change = await transformer(mesh.crs!, target);
  context.onEnd(async () => change.close());
  const [from, { name, kind, geographic }] = await Promise.all([describeCrs(mesh.crs!), describeCrs(target)]);
  if (kind === 'geocentric')
    throw new FormatError(
      `A mesh cannot be reprojected to '${name}', which is geocentric. Choose a geographic or projected coordinate system.`,
    );
  const count = nodeCount(mesh);
  const [x, y] = [nodeCoordinates(mesh.nodes, 0), nodeCoordinates(mesh.nodes, 1)];
  let crossing = from.geographic && !geographic ? crossingCells(x, mesh) : 0;
  if (change.forward(x, y) > 0) {
    const bad = x.findIndex(Number.isNaN);
    throw new FormatError(
      `Node ${bad + 1} at (${mesh.nodes[3 * bad]}, ${mesh.nodes[3 * bad + 1]}) cannot be transformed to ${name}. Clip the mesh with a spatial filter before it is reprojected.`,
    );
  }
  if (geographic) crossing = crossingCells(x, mesh);
  if (crossing > 0) context.reportLoss(crossingSentence(`${crossing} elements`));
  const nodes = mesh.nodes.slice();
  for (let n = 0; n < count; n++) {
    nodes[3 * n] = x[n]!;
    nodes[3 * n + 1] = y[n]!;
  }
  return { data: { ...mesh, crs: target, nodes }, operation: () => change.operation() };
}
