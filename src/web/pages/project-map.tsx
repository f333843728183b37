import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type PageProps, place, setView } from '../app/router.ts';
import { api, type Dataset } from '../client/api.ts';
import { useList, useQuery } from '../client/query.ts';
import type { Box, Point, PreviewMap } from '../map/preview/preview-map.ts';
import { Button } from '../parts/button.tsx';
import { useNarrow } from '../parts/narrow.ts';
import { Empty, Loaded } from '../parts/states.tsx';
import { mapTexts as words } from '../texts/map.ts';
import { commonTimes, nearestTime, stampOf } from './map/common-time.ts';
import { dividedLayers, type LayerChoice, writeLayers } from './map/layer-address.ts';
import { LayerList } from './map/layer-list.tsx';
import { linkMaps } from './map/linked-maps.ts';
import { MapCanvas } from './map/map-canvas.tsx';
import { MapSheet } from './map/map-sheet.tsx';
import { MapTools } from './map/map-tools.tsx';
import { PointValues } from './map/point-values.tsx';
import {
  chosenLayers,
  coveringLast,
  type DrawnLayer,
  describe,
  drawnLayers,
  layerOf,
  MOST,
  stepsAt,
  timeIn,
  timeNote,
  unionOf,
  usualTime,
} from './map/project-layers.ts';
import { useSheetRoom } from './map/sheet-room.ts';
import { timeText } from './map/step-time.ts';
import { type Controls, TimeBar } from './map/time-bar.tsx';
import { keepCenter, keepPoint, readView } from './map/view.ts';
import { ProjectFrame } from './projects/frame.tsx';

export default function ProjectMapPage({ params: { id = '' } }: PageProps) {
  const datasets = useList(
    `project ${id} datasets`,
    async (query, signal) =>
      (await api('GET /api/metadata/project/{id}/dataset/list', { params: { id }, query, signal })).data,
    { changes: ['dataset', 'project', 'preview'] },
  );
  return (
    <ProjectFrame id={id}>
      {(project) => (
        <Loaded query={datasets} rows={8}>
          {(all) => {
            const placed = all.filter(({ datasetType }) => datasetType !== 'timeseries');
            return placed.length === 0 ? (
              <NoMaps />
            ) : (
              <ProjectMap id={id} name={project.name} datasets={placed} more={datasets.more} />
            );
          }}
        </Loaded>
      )}
    </ProjectFrame>
  );
}

const NoMaps = () => (
  <div class="card">
    <Empty title={words.noDatasets} icon="grid">
      {words.noDatasetsWhy}
    </Empty>
  </div>
);

interface ProjectMapProps {
  id: string;
  name: string;
  datasets: readonly Dataset[];
  more: (() => void) | undefined;
}

/** The layers, their time and order stand in the fragment of the address. */
function ProjectMap({ id, name, datasets, more }: ProjectMapProps) {
  const params = place.value.view;
  const shown = params.get('show');
  const chosen = useMemo(() => chosenLayers(shown, datasets), [shown, datasets]);
  const ids = [...new Set(chosen.map((one) => one.id))].sort();
  const described = useQuery(
    `preview of project ${id} ${ids.join(' ')}`,
    async (signal) => {
      const asked = datasets.filter((one) => ids.includes(one.id));
      return new Map(await Promise.all(asked.map(async (one) => [one.id, await describe(one, signal)] as const)));
    },
    { changes: ['preview', 'dataset'] },
  );
  const kept = useRef(described.data);
  // layers that stay on the map stay drawn while one that is added is asked for
  if (described.data !== undefined) kept.current = described.data;
  const known = kept.current;
  const choices = useMemo(() => (shown === null ? coveringLast(chosen, known) : chosen), [shown, chosen, known]);
  const [map, setMap] = useState<PreviewMap>();
  const [other, setOther] = useState<PreviewMap>();
  const [sheetOpen, setSheetOpen] = useState(false);
  const narrow = useNarrow();
  const controls = useRef<Controls | undefined>(undefined);
  const isDivided = params.get('divided') === '1';
  const layers = useMemo(
    () => choices.map((choice) => layerOf(choice, datasets, known?.get(choice.id))),
    [choices, datasets, known],
  );
  const axis = useMemo(() => commonTimes(layers.map(({ times }) => times)), [layers]);
  const at = axis.length === 0 ? 0 : nearestTime(axis, timeIn(params.get('time')) ?? usualTime(layers));
  const now = axis[at];
  const drawn = useMemo(() => drawnLayers(layers, now, isDivided ? 'left' : undefined), [layers, now, isDivided]);
  const right = useMemo(() => (isDivided ? drawnLayers(layers, now, 'right') : []), [layers, now, isDivided]);
  useEffect(() => (map && other ? linkMaps(map, other) : undefined), [map, other]);
  const { point, center } = readView(params, { state: 'ready' });
  const box = unionOf([...drawn, ...right].map(({ preview }) => preview.bbox as Box | undefined));
  const frame = useSheetRoom(narrow && (sheetOpen || point !== undefined));
  const keep = (next: readonly LayerChoice[]) => setView({ show: writeLayers(next) });
  function divide() {
    if (isDivided) return setView({ divided: undefined });
    setView({ divided: '1', show: writeLayers(dividedLayers(choices)) });
  }
  const list = (
    <>
      <Button small icon="divide" pressed={isDivided} disabled={choices.length === 0} onClick={divide}>
        {words.divide}
      </Button>
      <LayerList
        layers={layers.map(({ preview, view, times, choice, ...layer }) => ({
          ...layer,
          choice,
          ...(preview && view && { drawn: { preview, view } }),
          ...(preview && now !== undefined && { time: timeNote(preview, times, choice.time ?? now) }),
          ...(times && now !== undefined && { keepable: times[nearestTime(times, choice.time ?? now)]! }),
        }))}
        others={datasets.filter((one) => !ids.includes(one.id))}
        full={choices.length >= MOST}
        divided={isDivided}
        onChange={keep}
        more={more}
      />
    </>
  );
  const goTo = (step: number) => setView({ time: stampOf(axis[step]!) });
  const label = now === undefined ? undefined : timeText(stampOf(now));
  const hasTime = axis.length > 1;
  function key(pressed: string, on: PreviewMap): boolean {
    if (pressed === 'Enter') keepPoint(on.center);
    else if (pressed === 'Escape') {
      if (sheetOpen) setSheetOpen(false);
      else keepPoint(undefined);
    } else if (pressed === ' ') controls.current?.toggle();
    else if (pressed === ',') controls.current?.move(-1);
    else if (pressed === '.') controls.current?.move(1);
    else return false;
    return true;
  }
  const canvas = { box, center, point, line: NO_LINE, onMove: keepCenter, onClick: keepPoint, onKey: key };
  return (
    <div class="map-page">
      <div>
        <div class={hasTime ? 'map-frame has-time' : 'map-frame'} ref={frame}>
          <div class={isDivided ? 'map-area divided' : 'map-area'}>
            <div class="map-half">
              {known !== undefined && <MapCanvas {...canvas} data={drawn} onHover={() => {}} onOpen={setMap} />}
              {isDivided && <HalfNote drawn={drawn} />}
            </div>
            {isDivided && known !== undefined && (
              <div class="map-half">
                <MapCanvas {...canvas} label={words.secondMap} data={right} onHover={() => {}} onOpen={setOther} />
                <HalfNote drawn={right} />
              </div>
            )}
            <MapTools
              map={map}
              box={box}
              title={name}
              lines={[[...new Set([...drawn, ...right].map((one) => one.name))].join(', '), label ?? '']}
              {...(isDivided && other && { other })}
              {...(narrow && { layers: { open: sheetOpen, toggle: () => setSheetOpen(!sheetOpen) } })}
            />
          </div>
          {narrow && sheetOpen && (
            <MapSheet title={words.layers} onClose={() => setSheetOpen(false)}>
              {list}
            </MapSheet>
          )}
          {hasTime && (
            <TimeBar
              count={axis.length}
              step={at}
              label={label}
              onStep={goTo}
              ready={async () => void (await Promise.all([map?.shown(), other?.shown()]))}
              ahead={async (step) => {
                const steps = stepsAt(layers, axis[step]!);
                await Promise.all([map?.prefetch(steps), other?.prefetch(steps)]);
              }}
              controls={controls}
            />
          )}
        </div>
        {point && !(narrow && sheetOpen) && (
          <div class="map-cards">
            <PointValues
              point={point}
              shown={[
                ...drawn.map((one) => ({ ...one, map })),
                ...right
                  .filter(({ key }) => drawn.every((one) => one.key !== key))
                  .map((one) => ({ ...one, map: other })),
              ]}
            />
          </div>
        )}
      </div>
      {!narrow && (
        <aside aria-label={words.layers}>
          <section class="card padded stack" aria-labelledby="layers-head">
            <h2 id="layers-head">{words.layers}</h2>
            {list}
          </section>
        </aside>
      )}
    </div>
  );
}

const NO_LINE: readonly Point[] = [];

/** What one half of a divided map shows. */
const HalfNote = ({ drawn }: { drawn: readonly DrawnLayer[] }) => (
  <div class="map-card half-note small">
    {drawn.length === 0 && <span class="quiet">{words.emptyHalf}</span>}
    {drawn.toReversed().map(({ key, name, at, preview, view }) => (
      <div key={key}>
        <b>{name}</b> {[preview.items?.find(({ id }) => id === view.item)?.name, at].filter(Boolean).join(', ')}
      </div>
    ))}
  </div>
);
