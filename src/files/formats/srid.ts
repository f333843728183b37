import { z } from 'zod';
import { ConversionError } from '../errors.ts';
import { kindOf, parseSrid, sridOf } from '../geo/crs/crs.ts';

/**
 * Parses an SRID with or without authority (25832, '25832', 'EPSG:25832', 'ESRI:54030') to `AUTHORITY:CODE`. Refuses
 * vertical CRSs, which have no horizontal coordinates.
 */
export const Srid = z.union([z.int().positive(), z.string()]).transform((value, context) => {
  try {
    const crs = parseSrid(value);
    if (kindOf(crs) !== 'vertical') return sridOf(crs)!;
    context.addIssue({
      code: 'custom',
      message: `${sridOf(crs)} is a vertical coordinate system. Use a horizontal or compound one.`,
    });
    return z.NEVER;
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    context.addIssue({ code: 'custom', message: error.message });
    return z.NEVER;
  }
});
