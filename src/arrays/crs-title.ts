import { crsName } from 'hydrofiles/crs';
import type { Crs } from 'hydrofiles/data';

/** Name of a coordinate system by its WKT, without PROJ, which takes half a second to start. */
export const crsTitle = (crs: Crs, wkt: string | undefined): string =>
  /"([^"]*)"/.exec(wkt ?? crs.wkt ?? '')?.[1] ?? crsName(crs);
