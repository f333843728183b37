import { count } from '../client/format.ts';

export const previewTexts = {
  building: 'The picture is being made',
  buildingWhy: 'This content is large, so it is prepared once for the map. It appears here by itself.',
  failed: 'The content cannot be read',
  retry: 'Retry',
  none: 'There is nothing to draw',
  noneNext: 'Download the file, or convert it into a format with places or times, such as GeoTIFF, FlatGeobuf or CSV.',
  noMap: 'This dataset has no place on the map',
  noMapArrays: 'Its values have no coordinates, or a coordinate system is missing. They are shown as a table.',
  noSeries: 'This dataset has no series of its own',
  noSeriesWhy: 'Click a place on the map: its values over time are drawn there.',
  about: 'About the dataset',
  toMap: 'To the map',
  toTable: 'To the table',
  csv: 'CSV',
  rows: (shown: number, all: number | undefined) =>
    all === undefined || all === shown ? count(shown, 'row') : `${shown.toLocaleString()} of ${count(all, 'row')}`,
  rowNumber: 'Row',
  step: 'Time step',
  previousStep: 'Step before',
  nextStep: 'Next step',
  layer: 'Layer',
  noRows: 'There are no rows',
  ofStep: (step: number, count: number) => `Step ${(step + 1).toLocaleString()} of ${count.toLocaleString()}`,
  onlyTiles: 'This dataset holds tiles, which have no table. The map shows their values.',
};
