import { setView } from '../../app/router.ts';
import type { Preview } from '../../client/api.ts';
import { type Colours, cssAt, valueAtPlace } from '../../map/preview/colours.ts';
import { valueText } from '../../map/scale.ts';
import { Button } from '../../parts/button.tsx';
import { Check } from '../../parts/field.tsx';
import { mapTexts as words } from '../../texts/map.ts';
import { ColourEditor } from './colour-editor.tsx';
import { type MapView, NO_COLOURS, overlaysOf } from './view.ts';

interface LegendProps {
  preview: Preview;
  view: MapView;
  /** Whose colours may be saved for all; undefined: the reader may not. */
  savedAt: string | undefined;
}

const isColoured = ({ items = [], tiles }: Preview, { item, colours }: MapView): boolean =>
  colours.colors.length > 0 && (tiles?.raster !== undefined || items.find(({ id }) => id === item)?.min !== undefined);

/** Item, colours with their values, and what is drawn over them. The gear opens the editor of the colours. */
export function Legend({
  preview,
  view,
  savedAt,
  editing,
  onEdit: setEditing,
}: LegendProps & { editing: boolean; onEdit: (editing: boolean) => void }) {
  const coloured = isColoured(preview, view);
  return (
    <section class="map-card legend" aria-label={words.legend}>
      <header>
        <ItemChoice preview={preview} view={view} />
        {coloured && (
          <Button
            kind="ghost"
            small
            icon={editing ? 'cross' : 'gear'}
            label={editing ? words.close : words.editLegend}
            onClick={() => setEditing(!editing)}
          />
        )}
      </header>
      {coloured && <ColourBar colours={view.colours} />}
      {editing && coloured && (
        <ColourEditor preview={preview} view={view} savedAt={savedAt} onDone={() => setEditing(false)} />
      )}
      <Overlays preview={preview} view={view} />
    </section>
  );
}

/** The legend on a phone: the colours alone. The button opens the sheet with all that can be chosen. */
export function NarrowLegend({
  preview,
  view,
  open,
  onToggle,
}: Pick<LegendProps, 'preview' | 'view'> & { open: boolean; onToggle: () => void }) {
  const item = preview.items?.find(({ id }) => id === view.item);
  return (
    <section class="map-card legend" aria-label={words.legend}>
      <header>
        <strong class="grow">
          {item?.name} <span class="quiet">{item?.unit}</span>
        </strong>
        <Button kind="ghost" small icon="layers" label={words.settings} expanded={open} onClick={onToggle} />
      </header>
      {isColoured(preview, view) && <ColourBar colours={view.colours} />}
    </section>
  );
}

/** All that the legend has on a wide window, for the sheet. */
export function LegendSettings({ preview, view, savedAt }: LegendProps) {
  return (
    <>
      <ItemChoice preview={preview} view={view} />
      <Overlays preview={preview} view={view} />
      {isColoured(preview, view) && (
        <details>
          <summary>{words.editLegend}</summary>
          <ColourEditor preview={preview} view={view} savedAt={savedAt} onDone={() => {}} />
        </details>
      )}
    </>
  );
}

function ItemChoice({ preview: { items = [] }, view }: Pick<LegendProps, 'preview' | 'view'>) {
  const item = items.find(({ id }) => id === view.item);
  if (items.length < 2)
    return (
      <strong class="grow">
        {item?.name} <span class="quiet">{item?.unit}</span>
      </strong>
    );
  return (
    <select
      class="input small"
      aria-label={words.item}
      value={view.item}
      onChange={(event) => setView({ item: event.currentTarget.value, ...NO_COLOURS })}
    >
      {items.map(({ id, name, unit }) => (
        <option key={id} value={id}>
          {unit === undefined ? name : `${name} [${unit}]`}
        </option>
      ))}
    </select>
  );
}

/** The colours from the least to the greatest value, with numbers below. */
export function ColourBar({ colours }: { colours: Colours }) {
  const parts = colours.steps ?? 48;
  const stops = Array.from({ length: parts }, (_, n) => {
    const colour = cssAt(colours, (n + 0.5) / parts);
    const [from, to] = [(100 * n) / parts, (100 * (n + 1)) / parts];
    return colours.steps === undefined ? `${colour} ${from}%` : `${colour} ${from}%, ${colour} ${to}%`;
  });
  return (
    <div class="colour-bar">
      <div style={{ background: `linear-gradient(to right, ${stops.join(', ')})` }} />
      <ol>
        {[0, 1 / 3, 2 / 3, 1].map((place) => (
          <li key={place}>{valueText(Number(valueAtPlace(colours, place).toPrecision(3)))}</li>
        ))}
      </ol>
    </div>
  );
}

function Overlays({ preview, view }: { preview: Preview; view: MapView }) {
  const possible = overlaysOf(preview, view.item);
  if (possible.length === 0) return null;
  return (
    <div class="overlays">
      {possible.map((one) => (
        <Check
          key={one}
          label={words[one]}
          checked={view.overlays.includes(one)}
          onChange={(checked) =>
            setView({
              show: possible.filter((each) => (each === one ? checked : view.overlays.includes(each))).join(','),
            })
          }
        />
      ))}
    </div>
  );
}
