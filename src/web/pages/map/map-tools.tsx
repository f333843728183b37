import { setView } from '../../app/router.ts';
import type { Preview } from '../../client/api.ts';
import { saveFile } from '../../client/csv.ts';
import type { Box, PreviewMap } from '../../map/preview/preview-map.ts';
import { valueText } from '../../map/scale.ts';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { Menu } from '../../parts/menu.tsx';
import { mapTexts as words } from '../../texts/map.ts';
import { pictureOf } from './picture.ts';
import type { MapView } from './view.ts';

interface ToolsProps {
  map: PreviewMap | undefined;
  box: Box | undefined;
  /** Of the second half of a divided map. */
  other?: PreviewMap;
  /** Of the saved picture. */
  title: string;
  lines: readonly string[];
  view?: MapView;
  /** Of a menu of its own for what is drawn; absent: none. */
  layers?: { open: boolean; toggle: () => void };
  profile?: { active: boolean; toggle: () => void };
}

/** The buttons at the edge of the map. */
export function MapTools({ map, other, box, title, lines, view, layers, profile }: ToolsProps) {
  async function savePicture() {
    saveFile(
      await pictureOf(other === undefined ? [map!] : [map!, other], { title, lines, colours: view?.colours }),
      `${title}.png`,
    );
  }
  return (
    <div class="map-card map-tools">
      <Button kind="ghost" icon="plus" label={words.zoomIn} onClick={() => map?.zoom(1)} />
      <Button kind="ghost" icon="minus" label={words.zoomOut} onClick={() => map?.zoom(-1)} />
      {box && <Button kind="ghost" icon="extent" label={words.whole} onClick={() => map?.whole(box)} />}
      {layers && (
        <Button kind="ghost" icon="layers" label={words.layers} expanded={layers.open} onClick={layers.toggle} />
      )}
      {profile && (
        <Button kind="ghost" icon="line" label={words.profile} pressed={profile.active} onClick={profile.toggle} />
      )}
      <Menu label={words.saveAs} icon="download" items={[{ name: words.png, run: savePicture }]} />
    </div>
  );
}

/** Opacity and vertical layer. */
export function LayerSettings({ preview: { layers }, view }: { preview: Preview; view: MapView }) {
  const count = layers?.count ?? 1;
  return (
    <>
      {count > 1 && (
        <Field
          label={words.layer}
          value={String(view.layer)}
          onInput={(layer) => setView({ layer })}
          options={Array.from({ length: count }, (_, n) => count - 1 - n).map((n) => {
            const height = layers?.heights?.[n];
            const end = n === count - 1 ? ` (${words.top})` : n === 0 ? ` (${words.bottom})` : '';
            return {
              value: String(n),
              name: `${words.layerName(n + 1, height === undefined ? undefined : valueText(height))}${end}`,
            };
          })}
        />
      )}
      <OpacitySlider value={view.opacity} onInput={(opacity) => setView({ opacity: String(opacity) })} />
    </>
  );
}

/** @param value 0 to 1 */
export function OpacitySlider({
  value,
  of,
  onInput,
}: {
  value: number;
  of?: string;
  onInput: (value: number) => void;
}) {
  const percent = Math.round(100 * value);
  return (
    <label class="field opacity">
      <span>
        {words.opacity} {of && <span class="visually-hidden">{of}</span>} <span class="quiet">{percent} %</span>
      </span>
      <input
        type="range"
        min={0}
        max={100}
        value={percent}
        onInput={(event) => onInput(event.currentTarget.valueAsNumber / 100)}
      />
    </label>
  );
}
