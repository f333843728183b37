import type { Map as MapLibreMap } from 'maplibre-gl';
import type { AddressBar } from './address-bar.ts';
import type { Api } from './api.ts';
import { element } from './dom.ts';
import { type Point, placeMark, showOutline } from './map-view.ts';
import { chooseOne, layerText, note, openSlider } from './panel.ts';
import { openPointCard } from './point-card.ts';
import { storedSeries } from './series.ts';
import { hasLayers, layerCount, unitOf } from './series-table.ts';
import type { Shown } from './show-tiles.ts';
import type { Subject } from './subject.ts';

/** Shows a multidimensional dataset: its extent, and the series of an item at a point. */
export function showStored(map: MapLibreMap, subject: Subject, bar: AddressBar, api: Api): Shown {
  const dataset = subject.stored!;
  const { items } = dataset;
  let item = items.find(({ id }) => id === bar.view.item) ?? items[0];
  let layer = bar.view.layer ?? 0;
  element('legend').hidden = true;
  if (subject.box === undefined)
    note('The extent of the data is not known. Click a point inside of it to see its values.');
  else showOutline(map, subject.box);
  note(
    'Multidimensional data other than meshes have no tiles, so the map shows their extent only. Convert them with TilingWriter to see them.',
  );

  const mark = placeMark(map);
  const card = openPointCard({
    async facts() {
      return [];
    },
    async series(point, signal) {
      if (item === undefined) throw new Error('The dataset has no items.');
      return storedSeries(api, subject.id, item, point, { signal, ...(hasLayers(dataset, item) && { layer }) });
    },
    onStep() {},
    marked: () => 0,
    onPoint(point) {
      mark(point);
      bar.keep({ point });
    },
  });
  const again = () => {
    if (card.point !== undefined) void card.open(card.point);
  };
  map.on('click', ({ lngLat }) => void card.open([lngLat.lng, lngLat.lat]));
  const list = () =>
    chooseOne(
      element('schemes'),
      'item',
      items.map(({ id, name, unitSymbol }) => ({ id, label: name ?? id, detail: unitOf(unitSymbol) ?? '' })),
      item?.id ?? '',
      (id) => {
        item = items.find((one) => one.id === id) ?? item;
        bar.keep({ item: id });
        again();
      },
    );
  list();
  element('schemes-title').textContent = 'Item';
  element('schemes-row').hidden = items.length === 0;
  const count = layerCount(dataset);
  if (count > 1)
    openSlider('layer', {
      max: count - 1,
      value: Math.min(count - 1, layer),
      text: (n) => layerText(n, count),
      onChange(n) {
        layer = n;
        bar.keep({ layer });
        again();
      },
    });
  const show = (point: Point | undefined) => (point === undefined ? card.close() : void card.open(point));
  if (bar.view.point !== undefined) show(bar.view.point);
  return {
    apply(view) {
      item = items.find(({ id }) => id === view.item) ?? item;
      list();
      show(view.point);
    },
    open: show,
    move() {},
    togglePlay() {},
  };
}
