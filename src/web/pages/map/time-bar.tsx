import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { mapTexts as words } from '../../texts/map.ts';

/** Milliseconds that a step is shown while it plays, at least. */
const INTERVAL_MS = 500;

export interface TimeBarProps {
  count: number;
  step: number;
  /** Time of the step; undefined while it is not known. */
  label: string | undefined;
  onStep: (step: number) => void;
  /** Resolves when the present step is drawn, so that playing never runs ahead of the map. */
  ready: () => Promise<void>;
  /** Loads what another step needs. */
  ahead: (step: number) => Promise<void>;
}

/** Steps in time: buttons, a slider, and playing. */
export function TimeBar(props: TimeBarProps & { controls: { current: Controls | undefined } }) {
  const { count, step, label, onStep, controls } = props;
  const [playing, setPlaying] = useState(false);
  const now = useRef(props);
  now.current = props;
  useEffect(() => {
    if (!playing) return;
    let ended = false;
    async function play() {
      while (!ended) {
        const { step: at, count: all, ready, ahead } = now.current;
        const next = (at + 1) % all;
        await Promise.all([ready().then(() => ahead(next)), new Promise((done) => setTimeout(done, INTERVAL_MS))]);
        if (!ended) now.current.onStep(next);
      }
    }
    void play();
    return () => {
      ended = true;
    };
  }, [playing]);
  const go = (to: number) => {
    setPlaying(false);
    onStep(Math.min(count - 1, Math.max(0, to)));
  };
  controls.current = { move: (by) => go(now.current.step + by), toggle: () => setPlaying((before) => !before) };
  return (
    <div class="map-card time-bar" role="group" aria-label={words.step}>
      <Button
        kind="ghost"
        icon="previous"
        label={words.stepBefore}
        disabled={step === 0}
        onClick={() => go(step - 1)}
      />
      <Button
        kind="ghost"
        icon={playing ? 'pause' : 'play'}
        label={playing ? words.pause : words.play}
        onClick={() => setPlaying(!playing)}
      />
      <Button
        kind="ghost"
        icon="next"
        label={words.stepAfter}
        disabled={step === count - 1}
        onClick={() => go(step + 1)}
      />
      <input
        type="range"
        aria-label={words.step}
        aria-valuetext={`${label ?? ''} ${words.of(step, count)}`.trim()}
        min={0}
        max={count - 1}
        value={step}
        onInput={(event) => go(event.currentTarget.valueAsNumber)}
      />
      <span class="time-label">
        <strong>{label}</strong> <span class="quiet">{words.of(step, count)}</span>
      </span>
    </div>
  );
}

/** What keys of the map do to the time. */
export interface Controls {
  move(by: number): void;
  toggle(): void;
}
