/*
 * The data model. A reader produces one of these kinds, a writer accepts some of them. Large parts are streamed, never
 * held in memory.
 *
 * What stands in files, and where it is in the model:
 *
 * - DFS time axis: relative, calendar → `TimeAxis.start` absent, present; the clock names no zone
 * - DFS time axis: equidistant {offset, interval} → `EquidistantAxis`; non-equidistant:
 *   `NonEquidistantAxis.offsets`; EUM unit: `unit`
 * - DFS item: name, EUM item and unit, value type → `Item.name`, `eum`, `valueKind`; data type 1 to 7: `type`;
 *   coordinates: `reference`
 * - DFS delete value of the item's type → `Item.nodata`
 * - DFS projection text → `Crs.wkt`, resolved to a code where one is known
 * - DFS titles, dates, custom blocks, unknown tags → `Origin.content`, of the DFS reader, for the DFS writer
 * - DFS0 → `Series`; the item's position: `SeriesItem.position`
 * - DFS1 → `Grid` of one row; a non-equidistant axis: `MultiArray` with `Axis.edges`
 * - DFS2 → `Grid`; rotation and position: `affine`; curvilinear: `MultiArray`, `Placement.nodes`
 * - DFS2, spectra → `MultiArray` with the axes direction and frequency
 * - DFS3 {z0, dz, nz}; compressed → `Grid.layers`; cells without an encoding key hold `nodata`
 * - DFS3, unequal layers or curvilinear → `MultiArray` with `Axis.edges`, `Placement.nodes`
 * - DFSU nodes, codes, ids, element table → `Mesh.nodes`, `nodeCodes`, `nodeIds`, `cellIds`, `shapes`,
 *   `connectivity`
 * - DFSU layers {maximum, sigma}, sigma-z → `Mesh.layers`; profile and column: `Mesh.section`
 * - DFSU item Z coordinate → `Mesh.heights`; it is no item
 * - DFSU spectra at a point; on a line or an area → `MultiArray`; `Mesh` whose items have `components`
 * - XYZ → `FeatureCollection` of points with a height; a lattice: `Grid`, over a bridge
 * - Mesh file → `Mesh.nodes`, `nodeCodes`, `shapes`; mean z of the nodes: the item `Bathymetry`
 * - VTU points, cells, types → `Mesh.nodes`, `connectivity`, `shapes` (VTK's numbers)
 * - VTU point and cell arrays → `MeshItem.location` `node`, `cell`; several numbers each: `components`
 * - PVD timestep, field `StartTime` → `Mesh.time`; points that move: `heights`
 * - Zarr array, dimension names, `fill_value` → `MultiArray.items`, `axes`, `nodata`; regular y, x:
 *   `Placement.affine`
 * - Zarr coordinate `time` with CF units → `MultiArray.time`
 * - CSV of a series → `Series` with a `PulledAxis`: offsets come with the values; 64-bit integers exactly
 */
import type { Bytes } from './bytes.ts';
import type { FeatureCollection } from './feature-collection.ts';
import type { Grid } from './grid.ts';
import type { Mesh } from './mesh.ts';
import type { MultiArray } from './multi-array.ts';
import type { Series } from './series.ts';

/** The content of a file; a union discriminated by `kind`. */
export type Data = Bytes | Grid | FeatureCollection | Mesh | Series | MultiArray;
export type DataKind = Data['kind'];

/** Words for each kind in sentences. */
export const kindNouns: Readonly<Record<DataKind, { one: string; plural: string }>> = {
  bytes: { one: 'a file', plural: 'files' },
  grid: { one: 'a grid', plural: 'grids' },
  features: { one: 'features', plural: 'features' },
  mesh: { one: 'a mesh', plural: 'meshes' },
  series: { one: 'series', plural: 'series' },
  array: { one: 'a multidimensional array', plural: 'multidimensional arrays' },
};
