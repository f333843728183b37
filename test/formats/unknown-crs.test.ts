import test from 'ava';
import { writersFor } from '../../src/files/convert/offers.ts';
import type { Data } from '../../src/files/data/data.ts';
import type { Grid } from '../../src/files/data/grid.ts';
import { findReader } from '../../src/files/formats/registry.ts';
import { flatMesh } from './meshes.ts';
import { written } from './written.ts';

/** A user-defined coordinate system of a DFS file. */
const crs = { wkt: 'Harbour-7' };

const grid: Grid = {
  kind: 'grid',
  width: 2,
  height: 1,
  affine: [10, 1, 0, 50, 0, -1],
  crs,
  bands: [{ type: 'Float32', name: 'depth' }],
  async *rows() {
    yield { firstRow: 0, rowCount: 1, samples: Float32Array.of(1, 2) };
  },
};

const { crs: _, time: __, ...mesh } = flatMesh();
const cases: readonly [string, string, Data][] = [
  ['grid', 'Dfs2Reader', grid],
  ['mesh', 'DfsuReader', { ...mesh, crs }],
];

// DFS files, stores of MDWriter, NetCDF and tiles for XYZ keep or use such a text (test/formats/zarr/round-trip);
// vector tiles and those of a GeoPackage need a place on the map; points as text and time series (so CSV and Parquet of a grid) have no coordinate system
for (const [kind, reader, data] of cases)
  for (const { name } of writersFor(findReader(reader)!).filter(
    (one) =>
      !/^(File|Dfs\w*|MD|NetCdf|TS|Tiling|PMTiles|MBTiles|Xyz)Writer$/.test(one.name) &&
      !(kind === 'grid' && /^(Csv|GeoParquet|GeoPackage)Writer$/.test(one.name)),
  ))
    test(`${name} writes a ${kind} whose coordinate system no registry knows, and names it as lost`, async (t) => {
      const { content, lost } = await written(t, data, name);
      t.true(content.length > 0);
      if (name !== 'MeshFileWriter') t.regex(lost.join('\n'), /Harbour-7/);
    });
