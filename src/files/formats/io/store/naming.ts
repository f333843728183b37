/** How a store names its arrays. */
export interface StoreNaming {
  /** The name of an item's array, as near to the item's name as the store allows. */
  readonly safe: (wanted: string) => string;
  /** Names that items cannot have. */
  readonly reserved: readonly string[];
  readonly mesh: MeshNames;
}

/** Names of the arrays of a mesh, and of the dimensions of nodes and cells. */
export interface MeshNames {
  readonly topology: string;
  readonly x: string;
  readonly y: string;
  readonly z: string;
  readonly heights: string;
  readonly codes: string;
  readonly nodeIds: string;
  readonly cellIds: string;
  readonly shapes: string;
  /** Nodes of each cell, padded with −1. */
  readonly padded: string;
  /** Instead of `padded`, for cells of many nodes: all nodes in a row, and where each cell begins. */
  readonly flat: string;
  readonly offsets: string;
  readonly columns: string;
  readonly node: string;
  readonly cell: string;
  /** Number of the first node in `padded`. */
  readonly firstNode: 0 | 1;
}

const longestName = 100;

export const zarrNaming: StoreNaming = {
  // A name must not have slashes, nor be dots alone, nor begin with two underscores.
  safe: (wanted) =>
    wanted
      .replace(/[/\\\p{Cc}\p{Cs}:]/gu, '_')
      .replace(/^\.+$/, '_')
      .replace(/^__+/, '_')
      .trim()
      .slice(0, longestName)
      // Half a character would be another one in UTF-8.
      .replace(/\p{Cs}$/u, '') || 'item',
  reserved: ['zarr.json'],
  mesh: {
    topology: 'mesh',
    x: 'node_x',
    y: 'node_y',
    z: 'node_z',
    heights: 'node_heights',
    codes: 'node_codes',
    nodeIds: 'node_ids',
    cellIds: 'cell_ids',
    shapes: 'cell_shapes',
    padded: 'cell_nodes',
    flat: 'cell_node_list',
    offsets: 'cell_offsets',
    columns: 'layer_columns',
    node: 'node',
    cell: 'cell',
    firstNode: 0,
  },
};

/** Names of the arrays and dimensions of layers above the faces of a mesh. */
export const stackNames = {
  layer: 'mesh2d_layers',
  interface: 'mesh2d_interfaces',
  faceLayers: 'mesh2d_face_layers',
  nodeAt: 'mesh2d_interface_node',
  z: 'mesh2d_node_interface_z',
  heights: 'mesh2d_node_interface_heights',
  codes: 'mesh2d_node_interface_code',
  nodeIds: 'mesh2d_node_interface_id',
  cellIds: 'mesh2d_cell_id',
  layerSigma: 'mesh2d_layer_sigma',
  layerZ: 'mesh2d_layer_z',
  interfaceSigma: 'mesh2d_interface_sigma',
  interfaceZ: 'mesh2d_interface_z',
  surface: 'mesh2d_surface',
  depth: 'mesh2d_depth',
  sigmaDepth: 'mesh2d_sigma_depth',
} as const;

/** Centres of the faces of a mesh. */
export const faceCentreNames = { x: 'mesh2d_face_x', y: 'mesh2d_face_y' } as const;

/** Variables with the code of the coordinate system of a mesh, as Delft3D-FM calls them. */
export const codedCrsNames = { projected: 'projected_coordinate_system', geographic: 'wgs84' } as const;

/** Names of the arrays and dimensions of series at stations. */
export const stationNames = {
  station: 'station',
  name: 'station_name',
  longitude: 'lon',
  latitude: 'lat',
  x: 'station_x',
  y: 'station_y',
  altitude: 'alt',
  counts: 'row_size',
  observation: 'obs',
} as const;

/** Names of letters, digits and `_`, as CF recommends, and those of UGRID. */
export const netCdfNaming: StoreNaming = {
  safe: (wanted) => {
    const name = wanted.replace(/[^A-Za-z0-9_]/g, '_').slice(0, longestName);
    if (name === '') return 'item';
    // CF asks for a letter at the beginning, which an underscore is not.
    return /^[A-Za-z]/.test(name) ? name : `v${name.startsWith('_') ? '' : '_'}${name}`;
  },
  reserved: [
    'time_bnds',
    'x_of_cell',
    'x_of_cell_bounds',
    'y_of_cell',
    'y_of_cell_bounds',
    ...Object.values(stationNames),
    ...Object.values(stackNames),
    ...Object.values(faceCentreNames),
    ...Object.values(codedCrsNames),
  ],
  mesh: {
    topology: 'mesh2d',
    x: 'mesh2d_node_x',
    y: 'mesh2d_node_y',
    z: 'mesh2d_node_z',
    heights: 'mesh2d_node_heights',
    codes: 'mesh2d_node_code',
    nodeIds: 'mesh2d_node_id',
    cellIds: 'mesh2d_face_id',
    shapes: 'mesh2d_face_shape',
    padded: 'mesh2d_face_nodes',
    flat: 'mesh2d_face_node_list',
    offsets: 'mesh2d_face_offsets',
    columns: 'mesh2d_layer_columns',
    node: 'mesh2d_nNodes',
    cell: 'mesh2d_nFaces',
    firstNode: 1,
  },
};
