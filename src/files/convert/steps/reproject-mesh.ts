import type { Crs } from '../../data/crs-reference.ts';
import type { Mesh } from '../../data/mesh.ts';
import { nodeCount } from '../../data/mesh-cells.ts';
import { FormatError } from '../../errors.ts';
import type { Context } from '../../formats/define.ts';
import { describeCrs } from '../../geo/crs/crs.ts';
import type { Operation } from '../../geo/crs/operation.ts';
import { transformer } from '../../geo/crs/transform.ts';
import { crossingCells, crossingSentence } from './antimeridian.ts';

/**
 * Reprojects a mesh: transforms x and y of its nodes. Heights and values stay as they are; vectors keep their
 * components along the axes of the original coordinate system.
 * @throws FormatError for a node that cannot be transformed, because its cells need it
 */
export async function reprojectedMesh(
  mesh: Mesh,
  target: Crs,
  context: Context,
): Promise<{ mesh: Mesh; operation(): Operation }> {
  const change = await transformer(mesh.crs!, target);
  context.onEnd(async () => change.close());
  const [from, { name, kind, geographic }] = await Promise.all([describeCrs(mesh.crs!), describeCrs(target)]);
  if (kind === 'geocentric')
    throw new FormatError(
      `A mesh cannot be reprojected to '${name}', which is geocentric. Choose a geographic or projected coordinate system.`,
    );
  const count = nodeCount(mesh);
  const [x, y] = [0, 1].map((axis) => Float64Array.from({ length: count }, (_, n) => mesh.nodes[3 * n + axis]!));
  let crossing = from.geographic && !geographic ? crossingCells(x!, mesh) : 0;
  if (change.forward(x!, y!) > 0) {
    const bad = x!.findIndex(Number.isNaN);
    throw new FormatError(
      `Node ${bad + 1} at (${mesh.nodes[3 * bad]}, ${mesh.nodes[3 * bad + 1]}) cannot be transformed to ${name}. Clip the mesh with a spatial filter before it is reprojected.`,
    );
  }
  if (geographic) crossing = crossingCells(x!, mesh);
  if (crossing > 0) context.reportLoss(crossingSentence(`${crossing} elements`));
  const nodes = mesh.nodes.slice();
  for (let n = 0; n < count; n++) {
    nodes[3 * n] = x![n]!;
    nodes[3 * n + 1] = y![n]!;
  }
  return { mesh: { ...mesh, crs: target, nodes }, operation: () => change.operation() };
}
