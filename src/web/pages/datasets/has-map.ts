import type { Preview } from '../../client/api.ts';

/** Whether anything of it can be drawn on a map. */
export const hasMap = ({ tiles }: Preview): boolean => tiles?.raster !== undefined || tiles?.vector !== undefined;
