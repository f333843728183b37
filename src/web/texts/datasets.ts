export const datasetTexts = {
  views: 'Views of the dataset',
  map: 'Map',
  chart: 'Charts',
  table: 'Table',
  metadata: 'Metadata',
  history: 'History and lineage',
  use: 'Use in programs',
  damaged: 'Content is damaged',
  missing: 'Content is missing',
};
