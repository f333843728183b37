import { defineReader, defineWriter } from '../define.ts';
import { readParameters, writeParameters } from './parameters.ts';

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

export const netCdfWriter = defineWriter({
  name: 'NetCdfWriter',
  description: 'NetCDF-4 file (or classic, Version 3) with the attributes of CF 1.11 and UGRID 1.0.',
  format: 'netcdf',
  accepts: ['grid', 'mesh', 'series', 'array'],
  keepsPlaces: true,
  extension: '.nc',
  otherExtensions: ['.nc4', '.cdf'],
  mediaType: 'application/netcdf',
  appends: { declared: true },
  parameters: writeParameters,
  load: () => import('./writer.ts'),
});
