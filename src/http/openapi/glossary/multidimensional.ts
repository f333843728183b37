import type { Glossary } from './entry.ts';

const level = {
  id: 'Water level',
  name: 'Water level',
  item: 'eumIWaterLevel',
  unit: 'eumUmeter',
  unitSymbol: 'm',
  dataType: 'Single',
  timeSeriesType: 'Instantaneous',
  axes: ['time', 'y', 'x'],
};

/** Multidimensional datasets. */
export const MULTIDIMENSIONAL: Glossary = {
  'MultidimensionalItem.id': ['Name of its array, unique in the dataset; for `item` of the values.', level.id],
  'MultidimensionalItem.name': ['Name of the item.', level.name],
  'MultidimensionalItem.item': ['Identifier of the EUM item.', level.item],
  'MultidimensionalItem.unit': ['Identifier of the EUM unit.', level.unit],
  'MultidimensionalItem.unitSymbol': ['Symbol of the unit.', level.unitSymbol],
  'MultidimensionalItem.dataType': [
    'Type of its values: `Single`, `Double`, or the narrowest of `Int16`, `Int32` and `Int64` that holds them.',
    level.dataType,
  ],
  'MultidimensionalItem.timeSeriesType': [
    'How a value relates to its time: `Instantaneous`, `Accumulated`, `StepAccumulated`, `MeanStepBackward` or `MeanStepForward`.',
    level.timeSeriesType,
  ],
  'MultidimensionalItem.axes': [
    'What its values are over: `time`, `layer`, `y` and `x`, `element` or `node` of a mesh, or names of other axes.',
    level.axes,
  ],
  'MultidimensionalTime.steps': ['Number of steps.', 24],
  'MultidimensionalTime.start': ['Time of the first step, on the clock of the data.', '2026-01-24T00:00:00.0000000'],
  'MultidimensionalTime.end': ['Time of the last step.', '2026-01-24T23:00:00.0000000'],
  'MultidimensionalTime.relative': ['The axis has no date: times count from 1970.', false],
  'MultidimensionalTime.interval': ['Seconds between two steps, if all are equal.', 3600],
  'MultidimensionalTime.times': ['Times of up to 10,000 steps at unequal distances.', ['2026-01-24T00:00:00.0000000']],
  'MultidimensionalAxis.name': ['`x`, `y`, `layer`, or the name of another axis.', 'x'],
  'MultidimensionalAxis.length': ['Number of its values.', 120],
  'MultidimensionalAxis.unit': ['Symbol of the unit.', 'm'],
  'MultidimensionalAxis.first': [
    'Centre of the first column or row; absent for a rotated or curvilinear grid.',
    610_050,
  ],
  'MultidimensionalAxis.last': ['Centre of the last column or row.', 621_950],
  'MultidimensionalAxis.values': ['Up to 10,000 coordinates, such as heights of layers.', [0, 5]],
  'MultidimensionalMesh.nodes': ['Number of nodes.', 528],
  'MultidimensionalMesh.elements': ['Number of elements.', 884],
  'MultidimensionalMesh.layers': ['Number of layers.', 10],
  'MultidimensionalMesh.sigmaLayers': ['Number of layers at the top that follow the bed.', 7],
  'MultidimensionalMesh.section': ['A vertical `profile` or `column` instead of an area.', 'profile'],
  'MultidimensionalCrs.name': ['Name of the coordinate system.', 'ETRS89 / UTM zone 32N'],
  'MultidimensionalCrs.srid': ['Its code.', 'EPSG:25832'],
  'MultidimensionalCrs.wkt': 'Its WKT.',
  'MultidimensionalDataset.id': ['Id of the dataset.', '019b3f0c-9a43-7c61-9a1f-2d7c8e5b1a90'],
  'MultidimensionalDataset.name': ['Name of the dataset.', 'water levels'],
  'MultidimensionalDataset.title': ['Title of the file that the data come from.', 'Flood of January 2026'],
  'MultidimensionalDataset.kind': [
    '`grid`, `mesh`, or `array`: cells that a grid cannot describe, or spectra.',
    'grid',
  ],
  'MultidimensionalDataset.items': ['What it holds.', [level]],
  'MultidimensionalDataset.time': 'Its time axis; absent: one step without a time.',
  'MultidimensionalDataset.axes': 'Other axes.',
  'MultidimensionalDataset.affine': [
    'Of a grid: x of the outer corner, x of a column, x of a row, then the same of y, as GDAL’s geotransform.',
    [610_000, 100, 0, 6_130_000, 0, -100],
  ],
  'MultidimensionalDataset.mesh': 'Of a mesh: its size.',
  'MultidimensionalDataset.crs': 'Its coordinate system.',
  'MultidimensionalDataset.bbox': [
    'Extent in its coordinate system: minx, miny, maxx, maxy.',
    [610_000, 6_120_000, 622_000, 6_130_000],
  ],
  'MultidimensionalDataset.wgS84Extent': [
    'Box around the data as WKT, in longitude and latitude of WGS 84; absent if their place is not known.',
    'POLYGON ((10.69 55.22, 10.88 55.22, 10.88 55.31, 10.69 55.31, 10.69 55.22))',
  ],
  'MultidimensionalValues.columns': [
    'Names of the columns: `time`, numbers of elements, nodes and layers, coordinates, then ids of items.',
    ['time', 'x', 'y', 'Water level'],
  ],
  'MultidimensionalValues.data': [
    'A row for each time and place; null: no data.',
    [['2026-01-24T08:00:00.0000000', 614_550, 6_120_050, 0.25]],
  ],
};
