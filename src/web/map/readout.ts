import { placeText } from './degrees.ts';
import { element } from './dom.ts';
import type { Point } from './map-view.ts';

/** Shows a place and the value there. The value comes later than the place; one for an older place is dropped. */
export function openReadout(valueAt: (point: Point, signal: AbortSignal) => Promise<string>) {
  const [place, value] = [element('readout-place'), element('readout-value')];
  let running = new AbortController();
  return (point: Point | undefined) => {
    running.abort();
    running = new AbortController();
    element('readout').hidden = point === undefined;
    if (point === undefined) return;
    place.textContent = placeText(point, 4);
    const { signal } = running;
    valueAt(point, signal).then(
      (text) => {
        if (!signal.aborted) value.textContent = text;
      },
      () => {
        if (!signal.aborted) value.textContent = '';
      },
    );
  };
}
