import { useState } from 'preact/hooks';
import { setView } from '../../app/router.ts';
import { api, type Preview } from '../../client/api.ts';
import { setData } from '../../client/query.ts';
import type { Colours } from '../../map/preview/colours.ts';
import { Button } from '../../parts/button.tsx';
import { Check, Field, Wrong } from '../../parts/field.tsx';
import { toast } from '../../parts/toast.tsx';
import { mapTexts as words } from '../../texts/map.ts';
import { keepColours, type MapView, NO_COLOURS, PALETTES, usualColours } from './view.ts';

interface EditorProps {
  preview: Preview;
  view: MapView;
  /** Whose colours may be saved for all; undefined: the reader may not. */
  savedAt: string | undefined;
  onDone: () => void;
}

const same = (one: readonly string[], other: readonly string[]) =>
  one.join().toLowerCase() === other.join().toLowerCase();

/** With the digits of a single. */
const rangeText = ({ min, max }: Colours) => {
  const text = (value: number) => String(Number(value.toPrecision(7)));
  return { min: text(min), max: text(max) };
};

/** Palette, range, classes and scale of the colours. What is chosen stands in the fragment until it is saved. */
export function ColourEditor({ preview, view, savedAt, onDone }: EditorProps) {
  const { colours } = view;
  const [range, setRange] = useState(rangeText(colours));
  const usual = usualColours(preview, view.item);
  const reversed = (one: readonly string[]) => one.toReversed();
  const isKnown = Object.entries(PALETTES).find(
    ([, one]) => same(one, colours.colors) || same(reversed(one), colours.colors),
  );
  const [palette, isReversed] = isKnown
    ? [isKnown[0], !same(isKnown[1], colours.colors)]
    : ['own', !same(usual.colors, colours.colors)];
  const colorsOf = (name: string, reverse: boolean) => {
    const found = name === 'own' ? usual.colors : PALETTES[name]!;
    return reverse ? reversed(found) : found;
  };
  const [min, max] = [Number(range.min), Number(range.max)];
  const isRange = range.min.trim() !== '' && range.max.trim() !== '' && min < max;
  function change(changes: Partial<Colours>) {
    keepColours({ ...colours, ...changes });
  }
  function changeRange(changes: Partial<typeof range>) {
    const next = { ...range, ...changes };
    setRange(next);
    const [low, high] = [Number(next.min), Number(next.max)];
    if (next.min.trim() !== '' && next.max.trim() !== '' && low < high)
      change({ min: low, max: high, log: colours.log && low > 0 });
  }
  async function save() {
    const { steps, ...rest } = colours;
    const scheme = await api('PUT /api/preview/dataset/{id}/scheme', {
      params: { id: savedAt! },
      body: { item: view.item, ...rest, colors: [...rest.colors], ...(steps !== undefined && { steps }) },
    });
    setData<Preview>(`preview ${savedAt}`, (before) => before && { ...before, scheme });
    setView(NO_COLOURS);
    toast(words.saved);
    onDone();
  }
  return (
    <div class="stack colour-editor">
      <Field
        label={words.palette}
        value={palette}
        onInput={(name) => change({ colors: colorsOf(name, isReversed) })}
        options={['own', ...Object.keys(PALETTES)].map((value) => ({ value, name: words.palettes[value]! }))}
      />
      <div class="pair">
        <Field label={words.min} type="number" value={range.min} onInput={(text) => changeRange({ min: text })} />
        <Field label={words.max} type="number" value={range.max} onInput={(text) => changeRange({ max: text })} />
      </div>
      {!isRange && <Wrong>{words.wrongRange}</Wrong>}
      <Field
        label={words.classes}
        value={String(colours.steps ?? 0)}
        onInput={(text) => change({ steps: Number(text) === 0 ? undefined : Number(text) })}
        options={[0, 4, 5, 6, 8, 10, 12, 16].map((n) => ({
          value: String(n),
          name: n === 0 ? words.continuous : String(n),
        }))}
      />
      <div class="row">
        <Check
          label={words.reverse}
          checked={isReversed}
          onChange={(checked) => change({ colors: colorsOf(palette, checked) })}
        />
        <Check
          label={words.log}
          checked={colours.log}
          disabled={!(colours.min > 0)}
          onChange={(log) => change({ log })}
        />
      </div>
      {!(colours.min > 0) && <p class="hint">{words.wrongLog}</p>}
      <div class="row">
        <Button
          small
          onClick={() => {
            setView(NO_COLOURS);
            setRange(rangeText(usual));
          }}
        >
          {words.reset}
        </Button>
        {savedAt !== undefined && (
          <Button small onClick={save} disabled={!isRange}>
            {words.save}
          </Button>
        )}
      </div>
    </div>
  );
}
