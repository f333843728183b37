import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { place, setView } from '../../app/router.ts';
import type { Preview } from '../../client/api.ts';
import type { PreviewSource } from '../../client/preview.ts';
import { isAbort } from '../../client/problem.ts';
import { placeText } from '../../map/degrees.ts';
import type { Box, Point, PreviewMap } from '../../map/preview/preview-map.ts';
import { valueText } from '../../map/scale.ts';
import { Button } from '../../parts/button.tsx';
import { useNarrow } from '../../parts/narrow.ts';
import { mapTexts as words } from '../../texts/map.ts';
import { Legend, LegendSettings, NarrowLegend } from './legend.tsx';
import { MapCanvas } from './map-canvas.tsx';
import { MapSheet } from './map-sheet.tsx';
import { LayerSettings, MapTools } from './map-tools.tsx';
import { PointCard } from './point-card.tsx';
import { ProfileCard } from './profile-card.tsx';
import { useSheetRoom } from './sheet-room.ts';
import { useStepTime } from './step-time.ts';
import { type Controls, TimeBar } from './time-bar.tsx';
import { keepCenter, keepPoint, readView } from './view.ts';

interface WorkspaceProps {
  source: PreviewSource;
  preview: Preview;
  name: string;
  /** Of the content: another one is drawn anew. */
  version?: string | undefined;
  /** Id of the dataset whose colours the reader may save. */
  savedAt?: string | undefined;
}

/** The map of one dataset with all that belongs to it. How it is looked at stands in the fragment of the address. */
export default function MapWorkspace({ source, preview, name, version, savedAt }: WorkspaceProps) {
  const params = place.value.view;
  const view = useMemo(() => readView(params, preview), [params.toString(), preview]);
  const [map, setMap] = useState<PreviewMap>();
  const [hovered, setHovered] = useState<Point>();
  const [layersOpen, setLayersOpen] = useState(false);
  /** The editor of the colours is open; it stays so when the window becomes wide again. */
  const [editing, setEditing] = useState(false);
  /** Being drawn; undefined: clicks read values. */
  const [drawing, setDrawing] = useState<readonly Point[]>();
  const [line, setLine] = useState<readonly Point[]>([]);
  const controls = useRef<Controls | undefined>(undefined);
  const narrow = useNarrow();
  const count = preview.steps?.count ?? 1;
  const time = useStepTime(source, preview, view.step);
  const drawn = useMemo(() => {
    const { item, step, layer, colours, opacity, overlays } = view;
    return [{ source, preview, version, view: { item, step, layer, colours, opacity, overlays } }];
  }, [source, preview, version, JSON.stringify(view)]);
  const box = preview.bbox as Box | undefined;
  const item = preview.items?.find(({ id }) => id === view.item);
  const hasNumbers = preview.tiles?.values !== undefined;

  const addPoint = (point: Point) => setDrawing([...(drawing ?? []), point]);
  function toggleProfile() {
    setLine([]);
    setDrawing(drawing === undefined ? [] : undefined);
  }
  function finishLine() {
    if (drawing !== undefined && drawing.length > 1) setLine(drawing);
    setDrawing(undefined);
  }
  function key(pressed: string, on: PreviewMap): boolean {
    if (pressed === 'Enter') (drawing === undefined ? keepPoint : addPoint)(on.center);
    else if (pressed === 'Escape') {
      if (drawing !== undefined) setDrawing(undefined);
      else if (layersOpen) setLayersOpen(false);
      else keepPoint(undefined);
    } else if (pressed === ' ') controls.current?.toggle();
    else if (pressed === ',') controls.current?.move(-1);
    else if (pressed === '.') controls.current?.move(1);
    else return false;
    return true;
  }
  const shownLine = drawing ?? line;
  const toggleLayers = () => setLayersOpen(!layersOpen);
  const isBelow = line.length > 1 || view.point !== undefined;
  const frame = useSheetRoom(narrow && (layersOpen || isBelow));
  return (
    <>
      <div class={count > 1 ? 'map-frame has-time' : 'map-frame'} ref={frame}>
        <div class="map-area" data-step={view.step}>
          <MapCanvas
            data={drawn}
            box={box}
            center={view.center}
            point={view.point}
            line={shownLine}
            onMove={keepCenter}
            onClick={drawing === undefined ? keepPoint : addPoint}
            onHover={setHovered}
            onKey={key}
            onOpen={setMap}
          />
          <MapTools
            map={map}
            box={box}
            title={name}
            lines={[[item?.name, item?.unit].filter(Boolean).join(' '), time ?? '']}
            view={view}
            {...(!narrow && { layers: { open: layersOpen, toggle: toggleLayers } })}
            {...(hasNumbers && { profile: { active: drawing !== undefined, toggle: toggleProfile } })}
          />
          {drawing !== undefined && (
            <div class="map-card map-hint" role="status">
              <span>{words.profileHint}</span>
              <Button small disabled={drawing.length < 2} onClick={finishLine}>
                {words.done}
              </Button>
            </div>
          )}
          {hasNumbers && <Readout map={map} id={source.id} point={hovered} unit={item?.unit} step={view.step} />}
        </div>
        {narrow ? (
          <NarrowLegend preview={preview} view={view} open={layersOpen} onToggle={toggleLayers} />
        ) : (
          <Legend {...{ preview, view, savedAt, editing }} onEdit={setEditing} />
        )}
        {layersOpen && (
          <MapSheet title={narrow ? words.settings : words.layers} onClose={() => setLayersOpen(false)}>
            {narrow && <LegendSettings preview={preview} view={view} savedAt={savedAt} />}
            <LayerSettings preview={preview} view={view} />
          </MapSheet>
        )}
        {count > 1 && (
          <TimeBar
            count={count}
            step={view.step}
            label={time}
            onStep={(step) => setView({ step: String(step) })}
            ready={async () => map?.shown()}
            ahead={async (step) => map?.prefetch(new Map([[source.id, step]]))}
            controls={controls}
          />
        )}
      </div>
      {isBelow && !(narrow && layersOpen) && (
        <div class="map-cards">
          {line.length > 1 && (
            <ProfileCard source={source} view={view} line={line} name={name} onClose={() => setLine([])} />
          )}
          {view.point && (
            <PointCard
              key={view.point.join()}
              source={source}
              preview={preview}
              view={view}
              point={view.point}
              name={name}
              tolerance={6 * metresPerPixel(view.point, map)}
            />
          )}
        </div>
      )}
    </>
  );
}

const metresPerPixel = ([, latitude]: Point, map: PreviewMap | undefined): number =>
  (78_271.5 * Math.cos((latitude * Math.PI) / 180)) / 2 ** (map?.map.getZoom() ?? 0);

/** The value under the pointer. */
function Readout({
  map,
  id,
  point,
  unit,
  step,
}: {
  map: PreviewMap | undefined;
  id: string;
  point: Point | undefined;
  unit: string | undefined;
  step: number;
}) {
  const [value, setValue] = useState<number>();
  useEffect(() => {
    if (point === undefined || map === undefined) return;
    const control = new AbortController();
    map.valueAt(id, point, control.signal).then(
      (found) => {
        if (!control.signal.aborted) setValue(found);
      },
      (error: unknown) => {
        if (!isAbort(error)) setValue(undefined);
      },
    );
    return () => control.abort();
  }, [map, id, point, step]);
  if (point === undefined) return null;
  return (
    <div class="map-card readout small" aria-hidden="true">
      <strong>{value === undefined ? words.noData : `${valueText(value)} ${unit ?? ''}`}</strong>{' '}
      <span class="quiet">{placeText(point, 4)}</span>
    </div>
  );
}
