import { clockText } from '../../data/date-text.ts';
import type { Field } from '../../data/feature-collection.ts';
import { offsetOf, type TimeAxis, timeOf } from '../../data/time-axis.ts';

/** The field of the times of features. A relative axis has no dates: its times are numbers in its unit. */
export const timeField = ({ start }: TimeAxis): Field => ({
  name: 'time',
  type: start === undefined ? 'real' : 'dateTime',
});

export const timeValue = (time: TimeAxis, step: number): string | number =>
  time.start === undefined ? offsetOf(time, step) : clockText(timeOf(time, step));
