import type { Mesh, MeshLayers } from '../../data/mesh.ts';
import { cellCentres, cellCount, nodeCoordinates } from '../../data/mesh-cells.ts';
import { footprints, layerCount, layersOfCells } from '../../data/mesh-columns.ts';
import { ConversionError } from '../../errors.ts';
import type { Context } from '../../formats/define.ts';
import { PreparedGeometry } from '../../geo/vector/prepared-geometry.ts';
import { numbersOf, withCells } from './mesh-part.ts';
import { chainsFor } from './spatial-filter.ts';
import type { SpatialFilter, VerticalFilter } from './transformation-shapes.ts';

/** Keeps the cells whose centre lies inside the filter's geometry; in layered meshes whole columns. */
export async function meshWithin(mesh: Mesh, filter: SpatialFilter, context: Context): Promise<Mesh> {
  if (mesh.located === false)
    throw new ConversionError('The input is not georeferenced, so no spatial filter can be applied to it.');
  const prepared = new PreparedGeometry((await chainsFor(mesh.crs, filter)).flat());
  const centres = cellCentres(mesh);
  const count = cellCount(mesh);
  const columns = mesh.layers?.columns ?? Uint32Array.from({ length: count + 1 }, (_, cell) => cell);
  const kept = new Uint8Array(count);
  for (let column = 0; column + 1 < columns.length; column++) {
    const first = columns[column]!;
    if (prepared.covers(centres[3 * first]!, centres[3 * first + 1]!)) kept.fill(1, first, columns[column + 1]!);
  }
  const cells = numbersOf(kept);
  if (cells.length === 0)
    throw new ConversionError(`None of the ${count} element centres lies inside the spatial filter.`);
  context.log('info', `${cells.length} of ${count} elements have their centre inside the geometry of the filter.`);
  return withCells(mesh, cells);
}

/**
 * Keeps the cells in a closed interval of layer indices (0 is the lowest) or of reference heights of their centres. A
 * single layer of a mesh that covers an area becomes a flat mesh of the lower faces of its cells.
 */
export function meshWithLayers(mesh: Mesh, filter: VerticalFilter): Mesh {
  const { layers } = mesh;
  if (layers === undefined) throw new ConversionError('The mesh has no layers, so none can be chosen.');
  const layerOf = layersOfCells(layers);
  const values = filter.by === 'index' ? layerOf : nodeCoordinates(cellCentres(mesh), 2);
  const { from = -Infinity, to = Infinity } = filter;
  const cells = numbersOf(Uint8Array.from(layerOf, (_, cell) => Number(values[cell]! >= from && values[cell]! <= to)));
  if (cells.length === 0) throw noneLeft(filter, layers, values);
  const part = withCells(mesh, cells);
  const columns = part.layers!.columns;
  if (mesh.section === undefined && columns.length - 1 === cells.length) return flat(part);
  return { ...part, layers: { ...chosenLayers(layers, layerOf, cells, columns), columns } };
}

/**
 * Layers of the chosen cells. If columns end in different layers, no layer is sigma: the tops no longer follow the
 * surface.
 */
function chosenLayers(
  layers: MeshLayers,
  layerOf: Int32Array,
  cells: Uint32Array,
  columns: Uint32Array,
): Pick<MeshLayers, 'maximum' | 'sigma'> {
  let [lowest, highest, minTop] = [Infinity, -Infinity, Infinity];
  for (const cell of cells) {
    lowest = Math.min(lowest, layerOf[cell]!);
    highest = Math.max(highest, layerOf[cell]!);
  }
  for (let column = 1; column < columns.length; column++)
    minTop = Math.min(minTop, layerOf[cells[columns[column]! - 1]!]!);
  const firstSigma = layerCount(layers) - layers.sigma;
  const sigma = minTop === highest ? Math.max(0, highest + 1 - Math.max(lowest, firstSigma)) : 0;
  return { maximum: highest - lowest + 1, sigma };
}

/** Converts a mesh of one layer to a flat mesh, whose nodes have constant heights. */
function flat(mesh: Mesh): Mesh {
  const { layers: _layers, heights: _heights, ...rest } = mesh;
  const faces = { ...rest, ...footprints(mesh) };
  // Removes the nodes of the upper faces.
  return withCells(
    faces,
    Uint32Array.from({ length: cellCount(faces) }, (_, cell) => cell),
  );
}

function noneLeft({ by }: VerticalFilter, layers: MeshLayers, values: ArrayLike<number>): ConversionError {
  let [least, most] = [Infinity, -Infinity];
  for (let n = 0; n < values.length; n++) {
    least = Math.min(least, values[n]!);
    most = Math.max(most, values[n]!);
  }
  return new ConversionError(
    by === 'index'
      ? `The vertical filter leaves no layer: the data have layers 0 to ${layerCount(layers) - 1}.`
      : `The vertical filter leaves no element: their centres lie between ${least} and ${most}.`,
  );
}
