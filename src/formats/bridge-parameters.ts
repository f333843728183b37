import { z } from 'zod';

/*
 * Parameters of writers for input of another kind than their own: how a bridge (`convert/bridges`) makes theirs of it. A writer that
 * takes such input lists them among its own.
 */

/** Of writers of meshes that take polygons and points. */
export const triangulationParameters = {
  MaximumElementArea: z
    .number()
    .positive()
    .describe(
      'Largest area of an element of a mesh that is made of polygons, in square units of the coordinate system. Default: a thousandth of the total area.',
    )
    .optional(),
  MinimumAngle: z
    .number()
    .min(0)
    .max(33)
    .describe(
      'Smallest angle of the elements of a mesh that is made of polygons, in degrees. Angles between borders of the polygons stay.',
    )
    .default(26),
};
