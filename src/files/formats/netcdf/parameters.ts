import { z } from 'zod';
import { Srid } from '../srid.ts';

export const readParameters = z.object({
  Group: z
    .string()
    .max(1000)
    .describe('Path of the group to read, such as /forecast. Default: the root, or the only group that has variables.')
    .optional(),
  Topology: z
    .string()
    .max(1000)
    .describe('Name of the mesh to read (a topology variable of UGRID), if the file has several.')
    .optional(),
  Mesh: z.string().max(1000).describe('The same as Topology.').optional(),
  AllowedItemNames: z.array(z.string()).describe('Names of the items to read. Default: all.').optional(),
  SRID: Srid.describe('SRID of the coordinate system, such as 25832. Overrides the file.').optional(),
});

export const writeParameters = z.object({
  Version: z.enum(['4', '3']).default('4').describe('4: NetCDF-4 (HDF5). 3: the classic format, without compression.'),
  Compression: z
    .enum(['Deflate', 'Zstd', 'None'])
    .default('Deflate')
    .describe('Lossless compression. Zstd needs a filter that not all programs have.'),
  Level: z.int().min(1).max(9).default(4).describe('Level of the compression, from the fastest to the smallest.'),
});
