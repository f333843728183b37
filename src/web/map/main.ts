import type { Map as MapLibreMap } from 'maplibre-gl';
import { parseAddress } from './address.ts';
import { AddressBar } from './address-bar.ts';
import { Api, Refused } from './api.ts';
import { readBasemap } from './basemap.ts';
import { element, say } from './dom.ts';
import { addLayersBelow, type LayersBelow } from './layers-below.ts';
import { askLogin } from './login.ts';
import { openMap, showWhole } from './map-view.ts';
import { openPanel } from './panel.ts';
import { showFeatures } from './show-features.ts';
import { showMesh } from './show-mesh.ts';
import { showPreview } from './show-preview.ts';
import { showStored } from './show-stored.ts';
import { type Shown, showTiles } from './show-tiles.ts';
import { readSubject, type Subject } from './subject.ts';

const address = parseAddress(location.href);
const api = new Api(address.base, address.signature);

/** Reads the dataset, and asks for a login as long as one is needed. */
async function openSubject(): Promise<Subject> {
  if (!api.signed && !api.loggedIn) await askLogin(api, 'Log in to see this dataset.');
  for (;;) {
    try {
      return await readSubject(api, address.datasetId);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const { status, message } = error;
      if (status === 401 || (status === 403 && api.signed)) {
        api.dropSignature();
        await askLogin(api, status === 403 ? `The link does not open this dataset: ${message}` : message);
      } else if (status === 404 || status === 403) await askLogin(api, `${message} Another account may see it.`);
      else throw error;
    }
  }
}

async function start(): Promise<void> {
  const subject = await openSubject();
  document.title = `${subject.name} · Map`;
  element('title').textContent = subject.name;
  let shown: Shown | undefined;
  const onError = (error: unknown) => say(errorSentence(error));
  const basemap = await readBasemap(address.base, onError);
  const bar = new AddressBar((view) => {
    const { zoom, latitude, longitude } = view;
    if (zoom !== undefined) map.jumpTo({ zoom, center: [longitude!, latitude!] });
    shown?.apply(view);
  });
  openPanel();
  const map = openMap({ basemap, start: bar.view, box: subject.box, onError });
  map.on('moveend', () => {
    const { lng: longitude, lat: latitude } = map.getCenter();
    bar.keep({ zoom: map.getZoom(), latitude, longitude });
  });
  openButtons(map, subject, bar);
  openKeys(map, () => shown);
  await new Promise((resolve) => map.once('load', resolve));
  await addBelow(map, api, subject.id).catch(onError);
  const show = viewOf(subject);
  shown = show(map, subject, bar, api);
  map.once('idle', () => {
    document.body.dataset.state = 'shown';
  });
}

function viewOf({ tiles, vector, stored, preview }: Subject) {
  if (preview !== undefined) return showPreview;
  if (tiles !== undefined) return showTiles;
  if (vector === undefined) return showStored;
  return stored === undefined ? showFeatures : showMesh;
}

function openButtons(map: MapLibreMap, { box }: Subject, bar: AddressBar): void {
  element('copy').onclick = async () => {
    try {
      await navigator.clipboard.writeText(bar.link);
      say(api.signed ? 'Link copied. It opens the map without a login.' : 'Link copied. It needs a login.');
    } catch {
      say(`Copy this link: ${bar.link}`);
    }
  };
  const whole = element<HTMLButtonElement>('whole');
  whole.hidden = box === undefined;
  if (box !== undefined) whole.onclick = () => showWhole(map, box);
}

/** Keys of the map, only while it has the focus. MapLibre moves and zooms it by arrows, plus and minus. */
function openKeys(map: MapLibreMap, shown: () => Shown | undefined): void {
  const canvas = map.getCanvas();
  canvas.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { lng, lat } = map.getCenter();
    const actions: Record<string, () => void> = {
      Enter: () => shown()?.open([lng, lat]),
      ' ': () => shown()?.togglePlay(),
      ',': () => shown()?.move(-1),
      '.': () => shown()?.move(1),
      Escape: () => element('point-close').click(),
    };
    const action = actions[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  });
  const cross = (visible: boolean) => element('cross').classList.toggle('visible', visible);
  canvas.addEventListener('focus', () => cross(canvas.matches(':focus-visible')));
  canvas.addEventListener('blur', () => cross(false));
}

const errorSentence = (error: unknown): string => (error instanceof Error ? error.message : String(error));

start().catch((error: unknown) => {
  document.body.dataset.state = 'failed';
  const failure = element('failure');
  failure.textContent = /webgl/i.test(errorSentence(error))
    ? 'This browser cannot draw the map, because WebGL is switched off or missing.'
    : errorSentence(error);
  failure.hidden = false;
  element('map').removeAttribute('aria-busy');
});

/** The datasets of the operator lie on the base map and below its names. */
function addBelow(map: MapLibreMap, api: Api, datasetId: string): Promise<void> {
  const path = `api/tiles/dataset/${datasetId}/basemap`;
  const source = {
    list: (signal: AbortSignal) => api.json<Awaited<ReturnType<LayersBelow['list']>>>(path, signal),
    tile: (place: string, signal: AbortSignal) => api.get(`${path}/${place}`, { signal }),
  };
  const names = () => (map.getLayer('names') === undefined ? undefined : 'names');
  return addLayersBelow(map, source, names, new AbortController().signal);
}
