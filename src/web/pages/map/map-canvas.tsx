import { useEffect, useRef, useState } from 'preact/hooks';
import { place } from '../../app/router.ts';
import { theme } from '../../app/theme.ts';
import { to } from '../../client/address.ts';
import { sentenceOf } from '../../client/problem.ts';
import type { Box, Center, Point, PreviewMap, ShownData } from '../../map/preview/preview-map.ts';
import { toastError } from '../../parts/toast.tsx';
import { mapTexts as words } from '../../texts/map.ts';

interface MapCanvasProps {
  /** What it is and what keys do; absent: the map of a page. */
  label?: string;
  data: readonly ShownData[];
  box: Box | undefined;
  center: Center | undefined;
  point: Point | undefined;
  line: readonly Point[];
  onMove: (center: Center) => void;
  onClick: (point: Point) => void;
  onHover: (point: Point | undefined) => void;
  onKey: (key: string, map: PreviewMap) => boolean;
  onOpen: (map: PreviewMap | undefined) => void;
}

/** The same error is not told again within this time. */
const SAME_MS = 10_000;

/** The map itself; MapLibre loads when it is shown for the first time. */
export function MapCanvas(props: MapCanvasProps) {
  const { data, point, line } = props;
  const holder = useRef<HTMLDivElement>(null);
  const [map, setMap] = useState<PreviewMap>();
  const [failure, setFailure] = useState<string>();
  const calls = useRef(props);
  calls.current = props;
  const recoloured = useRef(theme.value);
  const told = useRef({ text: '', at: 0 });

  /** Many tiles may fail for one reason. */
  function tell(error: unknown) {
    const text = sentenceOf(error);
    if (told.current.text === text && Date.now() - told.current.at < SAME_MS) return;
    told.current = { text, at: Date.now() };
    toastError(error);
  }

  useEffect(() => {
    const { path } = place.peek();
    const ended = new AbortController();
    async function open() {
      const { PreviewMap: Opened } = await import('../../map/preview/preview-map.ts');
      if (ended.signal.aborted) return;
      const { box, center } = calls.current;
      const opened = await Opened.open(holder.current!, {
        base: to('/'),
        start: center,
        box,
        signal: ended.signal,
        label: calls.current.label ?? words.label,
        // a map that is left may move once more, and its place is not that of the next page
        onMove: (moved) => void (place.peek().path === path && calls.current.onMove(moved)),
        onClick: (clicked) => calls.current.onClick(clicked),
        onHover: (hovered) => calls.current.onHover(hovered),
        onError: tell,
      });
      setMap(opened);
      calls.current.onOpen(opened);
    }
    open().catch((error: unknown) => {
      if (!ended.signal.aborted) setFailure(/webgl/i.test(sentenceOf(error)) ? words.noWebGl : sentenceOf(error));
    });
    return () => {
      calls.current.onOpen(undefined);
      ended.abort();
    };
  }, []);
  useEffect(() => map?.show(data), [map, data]);
  useEffect(() => map?.mark(point), [map, point?.[0], point?.[1]]);
  useEffect(() => map?.line(line), [map, line]);
  useEffect(() => {
    if (map === undefined) return;
    if (recoloured.current !== theme.value) map.recolour();
    recoloured.current = theme.value;
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const change = () => map.recolour();
    dark.addEventListener('change', change);
    return () => dark.removeEventListener('change', change);
  }, [map, theme.value]);
  return (
    <>
      <div
        class="map-canvas"
        ref={holder}
        data-state={map === undefined ? undefined : 'shown'}
        onKeyDown={(event) => {
          if (event.ctrlKey || event.metaKey || event.altKey || map === undefined) return;
          if (!(event.target instanceof HTMLCanvasElement)) return;
          if (calls.current.onKey(event.key, map)) event.preventDefault();
        }}
      />
      {failure !== undefined && (
        <p class="map-failure note bad" role="alert">
          {failure}
        </p>
      )}
    </>
  );
}
