import { element, say } from './dom.ts';

/** Milliseconds between two steps while it plays, at least. */
const INTERVAL_MS = 700;

export interface TimeBar {
  readonly step: number;
  /** Shows a step. */
  go(step: number): void;
  move(by: number): void;
  toggle(): void;
}

/**
 * The slider of time steps with its buttons.
 * `ready` resolves when the step is drawn, so that playing never runs ahead of the map; `ahead` is told the next one.
 */
export function openTimeBar(
  labels: readonly string[],
  first: number,
  { onStep, ready, ahead }: { onStep(step: number): void; ready(): Promise<void>; ahead(step: number): void },
): TimeBar {
  const slider = element<HTMLInputElement>('time');
  const play = element<HTMLButtonElement>('play');
  let step = first;
  let playing = 0;

  const show = () => {
    slider.value = String(step);
    slider.setAttribute('aria-valuetext', `${labels[step]}, step ${step + 1} of ${labels.length}`);
    element('time-label').textContent = labels[step] ?? '';
    element('time-count').textContent = `${step + 1} / ${labels.length}`;
  };
  const go = (to: number) => {
    const next = Math.min(labels.length - 1, Math.max(0, to));
    if (next === step) return;
    step = next;
    show();
    onStep(step);
  };
  const stop = () => {
    playing++;
    play.setAttribute('aria-pressed', 'false');
    play.title = 'Play';
  };
  const run = async () => {
    const own = ++playing;
    play.setAttribute('aria-pressed', 'true');
    play.title = 'Pause';
    say('Playing');
    while (own === playing) {
      const next = step + 1 < labels.length ? step + 1 : 0;
      const drawn = ready().then(() => ahead(next));
      await Promise.all([drawn, new Promise((resolve) => setTimeout(resolve, INTERVAL_MS))]);
      if (own === playing) go(next);
    }
  };
  const toggle = () => {
    if (play.getAttribute('aria-pressed') === 'true') {
      stop();
      say(`Paused at ${labels[step]}`);
    } else void run();
  };

  slider.max = String(labels.length - 1);
  slider.oninput = () => {
    stop();
    go(Number(slider.value));
  };
  play.onclick = toggle;
  element('back').onclick = () => {
    stop();
    go(step - 1);
  };
  element('forward').onclick = () => {
    stop();
    go(step + 1);
  };
  show();
  element('time-bar').hidden = false;
  return {
    get step() {
      return step;
    },
    go(to) {
      stop();
      go(to);
    },
    move(by) {
      stop();
      go(step + by);
    },
    toggle,
  };
}
