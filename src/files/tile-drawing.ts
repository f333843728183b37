/* Draws map tiles: pictures of grids and meshes, vector tiles of features and elements of a mesh. */

export { TileDrawer } from './tiles/raster/tile-drawer.ts';
export { type Chosen, FeatureChooser } from './tiles/vector/choose-features.ts';
export { itemsOf, MeshElements } from './tiles/vector/mesh-elements.ts';
export { GeometryPlacer } from './tiles/vector/placed.ts';
export { TileAreas } from './tiles/vector/tile-area.ts';
export {
  type FoundFeature,
  type SourceFeature,
  type TileLayer,
  type TileNumber,
  VectorTile,
  zippedTile,
} from './tiles/vector/vector-tile.ts';
