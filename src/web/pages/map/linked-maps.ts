import type { Map as MapLibreMap } from 'maplibre-gl';
import type { PreviewMap } from '../../map/preview/preview-map.ts';

/** Both maps show the same place from now on, at first that of the first one. @returns a function that ends it */
export function linkMaps({ map: first }: PreviewMap, { map: second }: PreviewMap): () => void {
  let isMoving = false;
  const copy = (from: MapLibreMap, to: MapLibreMap) => () => {
    if (isMoving) return;
    isMoving = true;
    to.jumpTo({ center: from.getCenter(), zoom: from.getZoom() });
    isMoving = false;
  };
  const [there, back] = [copy(first, second), copy(second, first)];
  there();
  first.on('move', there);
  second.on('move', back);
  return () => {
    first.off('move', there);
    second.off('move', back);
  };
}
