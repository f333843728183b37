import { z } from 'zod';
import { AppError } from '../errors.ts';
import { parseSrid, sridOf } from '../geo/crs.ts';

/** A coordinate system by number, with or without its authority: 25832, '25832', 'EPSG:25832', 'ESRI:54030'. Comes out as `AUTHORITY:CODE`. */
export const Srid = z.union([z.int().positive(), z.string()]).transform((value, context) => {
  try {
    return sridOf(parseSrid(value))!;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    context.addIssue({ code: 'custom', message: error.message });
    return z.NEVER;
  }
});
