import test from 'ava';
import { layeredMesh, sigmaZMesh } from '../meshes.ts';
import { read } from '../read.ts';
import { written } from '../written.ts';
import { classicFile, faces, hdf5File, type MadeFile } from './netcdf-files.ts';

const forms = { 'classic format': (file: MadeFile) => classicFile(file), 'NetCDF-4': hdf5File };

/** Two layers above the faces, of a mesh that names its bed at the depth of the formula. */
function layered(coordinate: MadeFile['variables'][string], more: MadeFile['variables'] = {}): MadeFile {
  const { mesh2d_node_z: _, bed: __, level, ...variables } = faces.variables;
  return {
    ...faces,
    dimensions: { ...faces.dimensions, mesh2d_nLayers: 2 },
    variables: {
      ...variables,
      mesh2d_layer: coordinate,
      mesh2d_s1: { ...level!, values: [0, 0, 0, 1, 2, 6] },
      mesh2d_bldepth: { type: 'double', dimensions: ['face'], attributes: { units: 'm' }, values: [10, 10, 10] },
      salinity: {
        type: 'double',
        dimensions: ['time', 'face', 'mesh2d_nLayers'],
        attributes: { mesh: 'mesh2d', location: 'face', units: '1e-3' },
        values: Array.from({ length: 12 }, (_, n) => n),
      },
      ...more,
    },
  };
}

for (const [form, make] of Object.entries(forms)) {
  test(`${form}: layers of sigma move with the surface of the faces around a node`, async (t) => {
    const file = layered({
      type: 'double',
      dimensions: ['mesh2d_nLayers'],
      attributes: {
        standard_name: 'ocean_sigma_coordinate',
        formula_terms: 'sigma: mesh2d_layer eta: mesh2d_s1 depth: mesh2d_bldepth',
      },
      values: [-0.75, -0.25],
    });
    const { data: mesh, remarks, lost } = await read(t, 'mesh', 'NetCdfReader', await make(file));
    t.deepEqual(mesh.layers, { maximum: 2, sigma: 2, columns: Uint32Array.of(0, 2, 4, 6) });
    t.deepEqual(
      Array.from({ length: 18 }, (_, n) => mesh.nodes[3 * n + 2]),
      [-10, -5, 0].flatMap((z) => Array.from({ length: 6 }, () => z)),
    );
    // Node 0 has the first face, node 1 the first two, node 4 all three, node 5 the last one.
    const top = [1, 1.5, 4, 1, 3, 6];
    const heights = await mesh.heights!(1);
    t.deepEqual(Array.from(heights.subarray(0, 6)), [-10, -10, -10, -10, -10, -10]);
    t.deepEqual(Array.from(heights.subarray(12)), top);
    t.deepEqual(Array.from(heights.subarray(6, 8)), [-4.5, -4.25]);
    t.deepEqual([...(await mesh.values(0, 1))], [6, 7, 8, 9, 10, 11]);
    t.true(remarks.some((one) => one.includes("the surface 'mesh2d_s1'")));
    t.deepEqual(lost, []);
  });

  test(`${form}: layers of heights begin at the bed`, async (t) => {
    const file = layered(
      {
        type: 'double',
        dimensions: ['mesh2d_nLayers'],
        attributes: { standard_name: 'altitude', units: 'm', positive: 'up' },
        values: [-15, -5],
      },
      { mesh2d_node_z: { ...faces.variables.mesh2d_node_z!, values: [-20, -12, -20, -20, -20, -5] } },
    );
    const { data: mesh, remarks } = await read(t, 'mesh', 'NetCdfReader', await make(file), {
      AllowedItemNames: ['salinity'],
    });
    t.deepEqual(mesh.layers!.sigma, 0);
    const z = Array.from({ length: 18 }, (_, n) => mesh.nodes[3 * n + 2]);
    t.deepEqual(z, [-20, -12, -20, -20, -20, -5, -10, -10, -10, -10, -10, -5, 0, 0, 0, 0, 0, 0]);
    t.is(mesh.heights, undefined);
    t.true(remarks.some((one) => one.includes('the file names no surface')));
  });
}

/** The classic format, whose description counts no more. */
const undescribed = (content: Buffer): Buffer =>
  Buffer.from(content.toString('latin1').replace('{"version":1,"kind":"mesh"', '{"version":9,"kind":"mesh"'), 'latin1');

test('a written layered mesh is read by its formula too', async (t) => {
  const { content } = await written(t, layeredMesh(), 'NetCdfWriter', { Version: '3' });
  const { data: mesh } = await read(t, 'mesh', 'NetCdfReader', undescribed(content));
  t.deepEqual(
    mesh.items.map(({ name }) => name),
    ['depth', 'velocity'],
  );
  t.deepEqual([...mesh.shapes], [13, 13, 13, 13]);
  t.deepEqual([...(await mesh.values(0, 2))], [2000, 2001, 2002, 2003]);
  // The surface moves, the bed does not.
  t.deepEqual([...(await mesh.heights!(2))], [-20, -20, -20, -20, -9, -9, -9, -9, 2, 2, 2, 2]);
});

test('a written sigma-z mesh is read by its formula too', async (t) => {
  const { content } = await written(t, sigmaZMesh(), 'NetCdfWriter', { Version: '3' });
  const { data: mesh } = await read(t, 'mesh', 'NetCdfReader', undescribed(content));
  t.deepEqual(mesh.layers, { maximum: 3, sigma: 1, columns: Uint32Array.of(0, 3, 6) });
  const corner = [...mesh.connectivity.subarray(0, 18)].map((node) => mesh.nodes[3 * node + 2]);
  t.deepEqual(corner, [-30, -30, -30, -20, -20, -20, -20, -20, -20, -10, -10, -10, -10, -10, -10, 0, 0, 0]);
});
