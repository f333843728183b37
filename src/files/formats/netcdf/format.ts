import { defineReader } from '../define.ts';
import { readParameters } from './parameters.ts';

export const netCdfReader = defineReader({
  name: 'NetCdfReader',
  description:
    'NetCDF file, classic or NetCDF-4 (HDF5): grids, meshes (UGRID), time series and arrays by the conventions of CF.',
  format: 'netcdf',
  produces: ['grid', 'mesh', 'series', 'array'],
  has: ['place', 'items', 'times', 'layers'],
  parameters: readParameters,
  load: () => import('./reader.ts'),
});
