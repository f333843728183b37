import { z } from 'zod';

/*
 * Parameters of writers for input of another kind than their own: how a bridge (`convert/bridges`) makes theirs of it.
 * A writer that takes such input lists them among its own.
 */

/** Parameters of mesh writers that accept polygons and points. */
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

/** Parameters of grid writers that accept meshes. */
export const cellSizeParameter = {
  CellSize: z
    .number()
    .positive()
    .describe(
      'Side of the cells of a grid that is made of a mesh, in units of the coordinate system. Default: the square root of the median area of its elements.',
    )
    .optional(),
};

export const pointsSchema = z.array(
  z.object({ name: z.string().min(1), x: z.number(), y: z.number(), z: z.number().optional() }),
);

/** A point at which values of a grid or mesh become a time series. */
export type NamedPoint = z.output<typeof pointsSchema>[number];

/** Parameters of time series writers that accept grids and meshes. */
export const pointsParameter = {
  Points: pointsSchema
    .min(1)
    .describe(
      'Places of the series that are made of a grid or mesh: a list of {name, x, y, z} in its coordinate system. z chooses the layer.',
    )
    .optional(),
};
