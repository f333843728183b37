import type { Crs } from '../../data/crs-reference.ts';
import { FormatError } from '../../errors.ts';
import { answerTasks } from '../../threads/answer-tasks.ts';
import { transformer } from './transform.ts';

export interface Points {
  readonly x: Float64Array;
  readonly y: Float64Array;
}

export interface PointTask extends Points {
  readonly from: Crs;
  readonly to: Crs;
}

answerTasks(async ({ from, to, x, y }: PointTask): Promise<Points> => {
  try {
    using change = await transformer(from, to);
    change.forward(x, y);
    return { x, y };
  } catch (error) {
    throw new FormatError(error instanceof Error ? error.message : String(error));
  }
});
