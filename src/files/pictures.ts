/* Pictures of data as PNG. */

export {
  drawThumbnail,
  THUMBNAIL_SIDES,
  type ThumbnailOptions,
  type ThumbnailPictures,
} from './convert/thumbnail/thumbnail.ts';
export { Canvas } from './geo/draw/canvas.ts';
export { gridPicturePng } from './geo/draw/grid-picture.ts';
export { gridPreviewPng } from './geo/draw/grid-preview.ts';
export { drawLegend } from './geo/draw/legend.ts';
export { meshPicturePng } from './geo/draw/mesh-picture.ts';
export { seriesPicturePng } from './geo/draw/series-picture.ts';
