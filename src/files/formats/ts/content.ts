import type { SeriesDefinition } from './definition.ts';
import type { SeriesFile } from './series-file.ts';

/** Format of datasets of time series. */
export const SERIES_FORMAT = 'ts';

/**
 * The dataset that TSReader read: an unchanged copy keeps metadata for which the kind `series` has no members.
 */
export class SeriesContent {
  readonly file: SeriesFile;
  /** True: TSWriter copies the file, so that nothing of it is lost. */
  kept = false;

  constructor(file: SeriesFile) {
    this.file = file;
  }
}

/** The series of an existing dataset that each item of an append adds to. */
export class AppendTargets {
  readonly series: readonly SeriesDefinition[];

  constructor(series: readonly SeriesDefinition[]) {
    this.series = series;
  }
}
