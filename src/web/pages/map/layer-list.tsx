import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { to } from '../../client/address.ts';
import type { Dataset, Preview } from '../../client/api.ts';
import { Button } from '../../parts/button.tsx';
import { Check } from '../../parts/field.tsx';
import { mapTexts as words } from '../../texts/map.ts';
import { stampOf } from './common-time.ts';
import { copyLayer, type LayerChoice, layerKey, newLayer } from './layer-address.ts';
import { ColourBar } from './legend.tsx';
import { OpacitySlider } from './map-tools.tsx';
import { timeText } from './step-time.ts';
import type { MapView } from './view.ts';

/** A layer of the map: a dataset, how it is drawn, or why it is not. */
export interface Layer {
  readonly dataset: Dataset;
  readonly key: string;
  readonly name: string;
  readonly choice: LayerChoice;
  /** Undefined while it is asked for, or if it is not drawn. */
  readonly drawn?: { readonly preview: Preview; readonly view: MapView } | undefined;
  readonly reason?: string | undefined;
  /** Which step is shown, if it is not of the chosen time. */
  readonly time?: string | undefined;
  /** The time that it shows, if it can keep one. */
  readonly keepable?: number | undefined;
}

interface LayerListProps {
  /** From the top. */
  layers: readonly Layer[];
  /** Datasets of the project that are not on the map. */
  others: readonly Dataset[];
  /** No more may be added. */
  full: boolean;
  /** The map has two halves. */
  divided: boolean;
  onChange: (layers: readonly LayerChoice[]) => void;
  more: (() => void) | undefined;
}

/** The layers of a map with order, item, legend and opacity of each, and the datasets that can be added. */
export function LayerList({ layers, others, full, divided, onChange, more }: LayerListProps) {
  const list = useRef<HTMLOListElement>(null);
  const [moved, setMoved] = useState<{ key: string; by: 'up' | 'down' }>();
  const choices = layers.map(({ choice }) => choice);
  // a row that moves loses the focus of its button
  useLayoutEffect(() => {
    if (moved === undefined) return;
    const row = list.current?.querySelector<HTMLElement>(`[data-key="${moved.key}"]`);
    const usable = row?.querySelectorAll<HTMLButtonElement>(`[data-move="${moved.by}"] > button, [data-move] > button`);
    [...(usable ?? [])].find(({ disabled }) => !disabled)?.focus();
  }, [moved]);
  function move(at: number, by: 'up' | 'down') {
    const next = [...choices];
    const [one] = next.splice(at, 1);
    next.splice(at + (by === 'up' ? -1 : 1), 0, one!);
    onChange(next);
    setMoved({ key: layerKey(one!), by });
  }
  const change = (at: number, changes: Partial<LayerChoice>) =>
    onChange(choices.map((one, n) => (n === at ? { ...one, ...changes } : one)));
  const repeat = (at: number) => onChange(choices.toSpliced(at, 0, copyLayer(choices[at]!, choices)));
  const place = moved && layers.findIndex(({ key }) => key === moved.key);
  return (
    <>
      <ol class="layer-list" ref={list}>
        {layers.map((layer, n) => (
          <li key={layer.key} data-key={layer.key}>
            <div class="layer-head">
              <Check
                label={<span class="visually-hidden">{words.show(layer.name)}</span>}
                checked
                onChange={() => onChange(choices.toSpliced(n, 1))}
              />
              <a class="grow" href={to(`/datasets/${layer.dataset.id}`)}>
                {layer.name}
              </a>
              {layer.drawn && (layer.drawn.preview.items?.length ?? 0) + (layer.keepable === undefined ? 0 : 1) > 1 && (
                <Button
                  kind="ghost"
                  small
                  icon="copy"
                  label={words.again(layer.name)}
                  disabled={full}
                  onClick={() => repeat(n)}
                />
              )}
              {layers.length > 1 &&
                (['up', 'down'] as const).map((by) => (
                  <span key={by} data-move={by}>
                    <Button
                      kind="ghost"
                      small
                      icon={by === 'up' ? 'sortUp' : 'sortDown'}
                      label={words[by](layer.name)}
                      disabled={n === (by === 'up' ? 0 : layers.length - 1)}
                      onClick={() => move(n, by)}
                    />
                  </span>
                ))}
            </div>
            <LayerSettings layer={layer} divided={divided} onChange={(changes) => change(n, changes)} />
          </li>
        ))}
      </ol>
      <p class="visually-hidden" role="status">
        {moved && place !== undefined && words.placed(layers[place]?.name ?? '', place + 1, layers.length)}
      </p>
      {others.map((dataset) => (
        <div key={dataset.id} class="layer-head">
          <Check
            label={<span class="visually-hidden">{words.show(dataset.name)}</span>}
            checked={false}
            disabled={full}
            onChange={() => onChange([newLayer(dataset.id), ...choices])}
          />
          <a class="grow" href={to(`/datasets/${dataset.id}`)}>
            {dataset.name}
          </a>
        </div>
      ))}
      {more && <Button onClick={more}>{words.moreDatasets}</Button>}
    </>
  );
}

function LayerSettings({
  layer: { name, choice, drawn, reason, time, keepable },
  divided,
  onChange,
}: {
  layer: Layer;
  divided: boolean;
  onChange: (changes: Partial<LayerChoice>) => void;
}) {
  if (drawn === undefined) return reason === undefined ? null : <p class="small quiet">{reason}</p>;
  const { preview, view } = drawn;
  const { items = [] } = preview;
  const item = items.find(({ id }) => id === view.item);
  const isColoured = view.colours.colors.length > 0 && (preview.tiles?.raster || item?.min !== undefined);
  return (
    <>
      {items.length > 1 ? (
        <select
          class="input small"
          aria-label={words.itemOf(name)}
          value={view.item}
          onChange={(event) => onChange({ item: event.currentTarget.value })}
        >
          {items.map(({ id, name: title, unit }) => (
            <option key={id} value={id}>
              {unit === undefined ? title : `${title} [${unit}]`}
            </option>
          ))}
        </select>
      ) : (
        item && (
          <div class="small quiet">
            {item.name} {item.unit}
          </div>
        )
      )}
      {isColoured && <ColourBar colours={view.colours} />}
      <OpacitySlider value={choice.opacity} of={name} onInput={(opacity) => onChange({ opacity })} />
      {divided && (
        <select
          class="input small"
          aria-label={words.sideOf(name)}
          value={choice.side ?? ''}
          onChange={(event) => onChange({ side: (event.currentTarget.value || undefined) as LayerChoice['side'] })}
        >
          <option value="">{words.bothSides}</option>
          <option value="left">{words.left}</option>
          <option value="right">{words.right}</option>
        </select>
      )}
      {keepable !== undefined && (divided || choice.copy > 0 || choice.time !== undefined) && (
        <Check
          label={
            <span class="small">
              {words.keepTime(timeText(stampOf(keepable)))} <span class="visually-hidden">{name}</span>
            </span>
          }
          checked={choice.time !== undefined}
          onChange={(kept) => onChange({ time: kept ? keepable : undefined })}
        />
      )}
      {time && <p class="small quiet">{time}</p>}
    </>
  );
}
