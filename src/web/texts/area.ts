import { count } from '../client/format.ts';

export const areaTexts = {
  area: 'Area',
  whole: 'Whole dataset',
  rectangle: 'Rectangle',
  polygon: 'Polygon',
  map: 'Map of the area. Arrow keys move it, plus and minus zoom, Enter sets a corner in the middle, Escape starts anew.',
  rectangleHint: 'Click two opposite corners on the map, or press Enter for its middle, or write the sides in degrees.',
  polygonHint: 'Click the corners on the map, or press Enter for its middle, then close the polygon.',
  sides: ['West', 'South', 'East', 'North'],
  close: 'Close the polygon',
  anew: 'Start anew',
  corners: (corners: number) => count(corners, 'corner'),
  wrong: 'West must be less than East and South less than North, in degrees from −180 to 180 and −90 to 90.',
  none: 'No area is chosen yet.',
  outside: 'The dataset does not reach this area.',
  measures: (width: string, height: string, area: string, percent: number) =>
    `${width} × ${height}, ${area}: about ${percent} % of the extent of the dataset.`,
};
