import type { MapGeoJSONFeature, Map as MapLibreMap } from 'maplibre-gl';
import type { AddressBar } from './address-bar.ts';
import type { Api } from './api.ts';
import { element } from './dom.ts';
import { onHover, type Point, placeMark, serveTiles } from './map-view.ts';
import { chooseOne, note, openSlider, showLegend } from './panel.ts';
import { openPointCard } from './point-card.ts';
import type { Shown } from './show-tiles.ts';
import type { Subject } from './subject.ts';
import {
  addVectorLayers,
  attributesOf,
  COLOURS,
  choose,
  colourBy,
  featureAt,
  rangeOf,
  setVectorOpacity,
} from './vector-layers.ts';

/** Shows vector tiles: features with their attributes. */
export function showFeatures(map: MapLibreMap, subject: Subject, bar: AddressBar, api: Api): Shown {
  serveTiles(async ([zoom, x, y], _key, signal) => {
    const { id, vectorPath = `api/vectortiles/dataset/${id}` } = subject;
    const answer = await api.get(`${vectorPath}/${zoom}/${x}/${y}.vector.pbf`, { signal });
    return answer.arrayBuffer();
  });
  addVectorLayers(map, subject.vector!);
  const [layer] = subject.vector!.vector_layers;
  const fields = Object.entries(layer?.fields ?? {});
  element('legend').hidden = true;
  if (fields.length === 0) note('The features have no attributes.');
  let opacity = bar.view.opacity ?? 1;
  let attribute: string | undefined;
  const draw = () => setVectorOpacity(map, opacity, attribute !== undefined);
  const colour = (name: string | undefined) => {
    const range = name === undefined ? undefined : rangeOf(map, layer!.id, name);
    attribute = range === undefined ? undefined : name;
    colourBy(map, attribute === undefined ? undefined : { attribute, low: range![0], high: range![1] });
    element('legend').hidden = attribute === undefined;
    if (attribute !== undefined)
      showLegend({ title: attribute, minValue: range![0], maxValue: range![1], colors: COLOURS });
    draw();
  };
  const numbers = fields.filter(([, type]) => type === 'Number').map(([name]) => name);
  const list = () =>
    chooseOne(
      element('schemes'),
      'attribute',
      [{ id: '', label: 'One colour', detail: '' }, ...numbers.map((name) => ({ id: name, label: name, detail: '' }))],
      attribute ?? '',
      (id) => {
        colour(id === '' ? undefined : id);
        bar.keep({ item: id === '' ? undefined : id });
      },
    );
  element('schemes-title').textContent = 'Colour by';
  element('schemes-row').hidden = numbers.length === 0;
  list();

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
    value: Math.round(100 * opacity),
    text: (n) => `${n} %`,
    onChange(n) {
      opacity = n / 100;
      draw();
      bar.keep({ opacity });
    },
  });
  draw();
  const { point, item } = bar.view;
  // features are known when they are drawn
  map.once('idle', () => {
    if (point !== undefined) void card.open(point);
    if (item === undefined) return;
    colour(item);
    list();
  });
  return {
    apply(view) {
      opacity = view.opacity ?? 1;
      setOpacity(Math.round(100 * opacity));
      colour(view.item);
      list();
      if (view.point === undefined) card.close();
      else void card.open(view.point);
    },
    open: (at) => void card.open(at),
    move() {},
    togglePlay() {},
  };
}
