import type { LevelChoice } from '../../../geo/contour/levels.ts';

export interface ContoursTransformation {
  readonly type: 'ContoursTransformation';
  readonly levels: LevelChoice;
  readonly as: 'lines' | 'polygons';
}
