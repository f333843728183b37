import type { Mesh } from '../../../../data/mesh.ts';
import { type WholeArray, wholeArray } from '../../../io/store/content.ts';
import { stackNames as names } from '../../../io/store/naming.ts';
import { NO_NODE, type Stack } from './stack.ts';

/** Difference of the shares of two columns, or share of the thickness of a layer, up to which layers are alike. */
const alike = 1e-3;

/**
 * The vertical coordinate of the layers as Delft3D-FM writes it, by appendix D of CF: `ocean_sigma_coordinate`, heights
 * (`altitude`), or `ocean_sigma_z_coordinate`. Empty for layers that lie otherwise: the heights of the nodes tell them.
 */
export function verticalCoordinates(mesh: Mesh, stack: Stack): WholeArray[] {
  const { layers, nodeAt } = stack;
  const sigma = Math.min(layers, mesh.layers?.sigma ?? 0);
  const first = layers - sigma;
  const interfaces = layers + 1;
  const z = (column: number, at: number): number => {
    const node = nodeAt[column * interfaces + at]!;
    return node === NO_NODE ? Number.NaN : mesh.nodes[3 * node + 2]!;
  };
  const shares = new Float64Array(interfaces).fill(Number.NaN);
  const heights = new Float64Array(interfaces).fill(Number.NaN);
  let lowest = 0;
  for (let column = 0; column < nodeAt.length / interfaces; column++) {
    const [bottom, top] = [z(column, first), z(column, layers)];
    if (sigma > 0 && top > bottom) {
      lowest = Math.min(lowest, bottom - top);
      for (let at = first; at <= layers; at++) {
        const share = (z(column, at) - top) / (top - bottom);
        if (Number.isNaN(shares[at]!)) shares[at] = share;
        else if (Math.abs(shares[at]! - share) > alike) return [];
      }
    }
    // The lowest node of a column lies on the bed.
    for (let at = 1; at <= first; at++) {
      if (Number.isNaN(z(column, at - 1))) continue;
      const height = z(column, at);
      if (Number.isNaN(heights[at]!)) heights[at] = height;
      else if (Math.abs(heights[at]! - height) > alike * Math.max(1, Math.abs(height))) return [];
    }
    if (first > 0 && !(z(column, 0) >= heights[0]!) && Number.isFinite(z(column, 0))) heights[0] = z(column, 0);
  }
  const isMixed = sigma > 0 && first > 0;
  const terms = isMixed
    ? `sigma: ${names.layerSigma} eta: ${names.surface} depth: ${names.depth} depth_c: ${names.sigmaDepth} zlev: ${names.layerZ}`
    : `sigma: ${names.layerSigma} eta: ${names.surface} depth: ${names.depth}`;
  const along = (name: string, dimension: string, values: Float64Array, attributes: Record<string, string>) =>
    wholeArray(name, 'Float64', values, { dimensions: [dimension], shape: [values.length], attributes });
  const made: WholeArray[] = [];
  if (sigma > 0) {
    const standard_name = isMixed ? 'ocean_sigma_z_coordinate' : 'ocean_sigma_coordinate';
    made.push(
      along(names.layerSigma, names.layer, middles(shares), {
        standard_name,
        long_name: 'sigma of the middle of the layers',
        units: '1',
        positive: 'up',
        formula_terms: terms,
      }),
      along(names.interfaceSigma, names.interface, shares, {
        long_name: 'sigma of the interfaces',
        units: '1',
        positive: 'up',
      }),
    );
  }
  if (first > 0) {
    const attributes = { units: 'm', positive: 'up' };
    made.push(
      along(names.layerZ, names.layer, middles(heights), {
        ...(isMixed ? {} : { standard_name: 'altitude' }),
        long_name: 'height of the middle of the layers',
        ...attributes,
      }),
      along(names.interfaceZ, names.interface, heights, { long_name: 'height of the interfaces', ...attributes }),
    );
  }
  if (isMixed)
    made.push(
      wholeArray(names.sigmaDepth, 'Float64', Float64Array.of(-lowest), {
        dimensions: [],
        shape: [],
        attributes: { long_name: 'depth of the lowest layer of sigma', units: 'm', positive: 'down' },
      }),
    );
  return made;
}

const middles = (edges: Float64Array): Float64Array =>
  Float64Array.from({ length: edges.length - 1 }, (_, n) => (edges[n]! + edges[n + 1]!) / 2);
