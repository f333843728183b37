import type { Legend } from './answers.ts';
import { element, make } from './dom.ts';
import { gradientOf } from './ramp.ts';
import { valueAxis, valueText } from './scale.ts';

/** A sentence about what the map does not show, in the panel. */
export function note(text: string): void {
  element('notes').append(make('li', {}, text));
  element('notes').hidden = false;
}

interface Choice {
  readonly id: string;
  readonly label: string;
  readonly detail: string;
}

/** Radio buttons, one of which is chosen. */
export function chooseOne(
  into: HTMLElement,
  name: string,
  choices: readonly Choice[],
  chosen: string,
  onChoice: (id: string) => void,
): void {
  into.replaceChildren(
    ...choices.map(({ id, label, detail }) => {
      const input = make('input', { type: 'radio', name, value: id, checked: id === chosen });
      input.onchange = () => onChoice(id);
      return make(
        'label',
        { class: 'choice' },
        input,
        make('span', {}, label),
        ...(detail === '' ? [] : [make('small', {}, detail)]),
      );
    }),
  );
}

/** The colours with their values; none for data in their own colours. */
export function showLegend(legend: Legend | undefined): void {
  const box = element('legend');
  if (legend === undefined) {
    box.replaceChildren(make('p', { class: 'quiet' }, 'Shown in its own colours.'));
    return;
  }
  const { title, unit, minValue, maxValue, colors } = legend;
  const ramp = make('div', { class: 'ramp', role: 'img', 'aria-label': `From ${minValue} to ${maxValue}` });
  ramp.style.backgroundImage = gradientOf(colors, 'to right');
  const ticks = make('div', { class: 'ticks', 'aria-hidden': 'true' });
  const place = (value: number) => (value - minValue) / (maxValue - minValue);
  for (const { at, label } of valueAxis([minValue, maxValue], 4).ticks) {
    if (!(place(at) >= 0 && place(at) <= 1)) continue;
    const tick = make('span', {}, label);
    tick.style.left = `${100 * place(at)}%`;
    ticks.append(tick);
  }
  const heading = make('h2', {}, title, ...(unit === undefined ? [] : [make('span', { class: 'unit' }, ` ${unit}`)]));
  const range = make('p', { class: 'quiet' }, `Minimum ${valueText(minValue)}, maximum ${valueText(maxValue)}`);
  box.replaceChildren(heading, ramp, ticks, range);
}

/** A slider with its value as text. */
export function openSlider(
  name: string,
  {
    max,
    value,
    text,
    onChange,
  }: { max: number; value: number; text(value: number): string; onChange(value: number): void },
): (value: number) => void {
  const slider = element<HTMLInputElement>(name);
  const show = () => {
    const shown = text(Number(slider.value));
    element(`${name}-label`).textContent = shown;
    slider.setAttribute('aria-valuetext', shown);
  };
  slider.max = String(max);
  slider.value = String(value);
  slider.oninput = () => {
    show();
    onChange(Number(slider.value));
  };
  show();
  element(`${name}-row`).hidden = false;
  return (set) => {
    slider.value = String(set);
    show();
  };
}

/** A layer, from 0, the lowest. */
export function layerText(n: number, count: number, heights?: readonly number[]): string {
  const height = heights?.[n];
  const place = n === 0 ? ', lowest' : n === count - 1 ? ', highest' : '';
  return `${n + 1} of ${count}${height === undefined ? place : ` at ${valueText(height)} m`}`;
}

/** The button that folds the panel, which starts folded on a phone. */
export function openPanel(): void {
  const [panel, fold] = [element('panel'), element<HTMLButtonElement>('fold')];
  const set = (open: boolean) => {
    panel.classList.toggle('folded', !open);
    fold.setAttribute('aria-expanded', String(open));
    fold.title = open ? 'Hide the controls' : 'Show the controls';
  };
  set(!matchMedia('(max-width: 40rem)').matches);
  fold.onclick = () => set(fold.getAttribute('aria-expanded') !== 'true');
  panel.hidden = false;
}
