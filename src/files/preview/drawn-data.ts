import type { Grid } from '../data/grid.ts';
import type { Mesh } from '../data/mesh.ts';

/** Data of which tiles may be drawn. */
export type DrawnData = Grid | Mesh;
