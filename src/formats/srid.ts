import { z } from 'zod';
import { AppError } from '../errors.ts';
import { kindOf, parseSrid, sridOf } from '../geo/crs/crs.ts';

/**
 * A coordinate system by number, with or without its authority: 25832, '25832', 'EPSG:25832', 'ESRI:54030'. Comes out as `AUTHORITY:CODE`.
 * Data have a place: a system of heights alone is none for them.
 */
export const Srid = z.union([z.int().positive(), z.string()]).transform((value, context) => {
  try {
    const crs = parseSrid(value);
    if (kindOf(crs) !== 'vertical') return sridOf(crs)!;
    context.addIssue({
      code: 'custom',
      message: `The coordinate system ${sridOf(crs)} tells heights alone, no places.`,
    });
    return z.NEVER;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    context.addIssue({ code: 'custom', message: error.message });
    return z.NEVER;
  }
});
