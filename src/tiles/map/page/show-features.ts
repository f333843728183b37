import type { MapGeoJSONFeature, Map as MapLibreMap } from 'maplibre-gl';
import type { AddressBar } from './address-bar.ts';
import type { Api } from './api.ts';
import { element } from './dom.ts';
import type { Point } from './map-view.ts';
import { onHover, placeMark, serveTiles } from './map-view.ts';
import { note, openSlider } from './panel.ts';
import { openPointCard } from './point-card.ts';
import type { Shown } from './show-tiles.ts';
import type { Subject } from './subject.ts';
import { addVectorLayers, attributesOf, choose, featureAt, setVectorOpacity } from './vector-layers.ts';

/** Shows vector tiles: features with their attributes. */
export function showFeatures(map: MapLibreMap, subject: Subject, bar: AddressBar, api: Api): Shown {
  serveTiles(async ([zoom, x, y], _key, signal) => {
    const answer = await api.get(`api/vectortiles/dataset/${subject.id}/${zoom}/${x}/${y}.vector.pbf`, { signal });
    return answer.arrayBuffer();
  });
  addVectorLayers(map, subject.vector!);
  const fields = Object.keys(subject.vector!.vector_layers[0]?.fields ?? {});
  element('legend').hidden = true;
  note(fields.length === 0 ? 'The features have no attributes.' : `Attributes: ${fields.join(', ')}.`);

  const mark = placeMark(map);
  const find = ([longitude, latitude]: Point): MapGeoJSONFeature | undefined =>
    featureAt(map, map.project([longitude, latitude]));
  const card = openPointCard({
    async facts(point) {
      const found = find(point);
      choose(map, found?.id);
      if (found === undefined) return [['Feature', 'none here']];
      return [...(found.id === undefined ? [] : [['Feature', String(found.id)] as const]), ...attributesOf(found)];
    },
    onStep() {},
    marked: () => 0,
    onPoint(point) {
      mark(point);
      if (point === undefined) choose(map, undefined);
      bar.keep({ point });
    },
  });
  map.on('click', ({ lngLat }) => void card.open([lngLat.lng, lngLat.lat]));

  const [place, value] = [element('readout-place'), element('readout-value')];
  onHover(map, (point) => {
    const found = point === undefined ? undefined : find(point);
    map.getCanvas().style.cursor = found === undefined ? '' : 'pointer';
    element('readout').hidden = found === undefined;
    if (found === undefined) return;
    place.textContent = found.id === undefined ? 'Feature' : `Feature ${found.id}`;
    value.textContent = attributesOf(found)
      .slice(0, 3)
      .map(([name, text]) => `${name} ${text}`)
      .join(' · ');
  });
  const setOpacity = openSlider('opacity', {
    max: 100,
    value: Math.round(100 * (bar.view.opacity ?? 1)),
    text: (n) => `${n} %`,
    onChange(n) {
      setVectorOpacity(map, n / 100);
      bar.keep({ opacity: n / 100 });
    },
  });
  setVectorOpacity(map, bar.view.opacity ?? 1);
  const { point } = bar.view;
  if (point !== undefined) map.once('idle', () => void card.open(point));
  return {
    apply(view) {
      setOpacity(Math.round(100 * (view.opacity ?? 1)));
      setVectorOpacity(map, view.opacity ?? 1);
      if (view.point === undefined) card.close();
      else void card.open(view.point);
    },
    open: (at) => void card.open(at),
    move() {},
    togglePlay() {},
  };
}
