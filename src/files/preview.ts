/* Previews: what data contain, pictures of them in tiles, and their numbers, without a conversion. */

export type { IndexedFeatures } from './preview/features/indexed-features.ts';
export {
  csvOf,
  profileTable,
  rowsTable,
  seriesTable,
  statisticsTable,
  valuesTable,
} from './preview/numbers/answer-tables.ts';
export type { Choice, PreviewData } from './preview/numbers/choose.ts';
export { itemNumber, layerNumber, stepNumber } from './preview/numbers/choose.ts';
export type { Place, ValuesRequest } from './preview/numbers/places.ts';
export { type ProfileAnswer, type ProfileRequest, profile } from './preview/numbers/profile.ts';
export { type SeriesAnswer, type SeriesRequest, series } from './preview/numbers/series.ts';
export { type StatisticsAnswer, statistics } from './preview/numbers/statistics.ts';
export { type TableAnswer, type TableRequest, table } from './preview/numbers/table.ts';
export { type ValuesAnswer, valuesAt } from './preview/numbers/values-at.ts';
export { OpenPreview } from './preview/open-preview.ts';
export { overviewOf } from './preview/overview.ts';
export {
  OWN_COLOURS,
  type PreviewDescription,
  type PreviewInput,
  type PreviewItem,
  type PreviewScheme,
  type PreviewTile,
  type PreviewVectorTile,
  type VectorLayer,
} from './preview/preview.ts';
export { type Reading, readingOf } from './preview/reading.ts';
export { type OverviewRequest, writeOverview } from './preview/write-overview.ts';
