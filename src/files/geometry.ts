/* Geometry in the plane: outlines, tests of points and boxes, meshes of polygons. */

export { withCells } from './convert/steps/mesh-part.ts';
export { chainsFor } from './convert/steps/spatial-filter.ts';
export { Box } from './data/box.ts';
export { cellArea, cellsAt } from './geo/mesh/flat-cells.ts';
export { meshPolygons } from './geo/mesh/mesh-polygons.ts';
export { planarGraph, VertexSet } from './geo/mesh/planar-graph.ts';
export type { Chain } from './geo/vector/edge-tree.ts';
export { boxGeometry, outlineInDegrees, outlineOf } from './geo/vector/outline.ts';
export { PreparedGeometry } from './geo/vector/prepared-geometry.ts';
export { transformChains } from './geo/vector/transform-chains.ts';
