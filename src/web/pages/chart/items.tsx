import { useState } from 'preact/hooks';
import type { Preview } from '../../client/api.ts';
import { Button } from '../../parts/button.tsx';
import { Check, Field, FindField } from '../../parts/field.tsx';
import { chartTexts as words } from '../../texts/chart.ts';
import { type ChosenSeries, keepItems, keepOthers, parseOther, type SeriesOfChart } from './chosen-series.ts';

/** Items in the list; others are found by their names. */
const MOST_SHOWN = 60;
/** Lines in a chart. */
const MOST_LINES = 12;

interface ItemsProps {
  preview: Preview;
  chosen: ChosenSeries;
  shown: SeriesOfChart | undefined;
  /** Whether items of other datasets can be added. */
  compares: boolean;
}

/** Which items of this and of other datasets are drawn. */
export function Items({ preview: { items = [] }, chosen, shown, compares }: ItemsProps) {
  const [filter, setFilter] = useState('');
  const found = items.filter(({ name }) => name.toLowerCase().includes(filter.toLowerCase()));
  const listed = found.slice(0, MOST_SHOWN);
  return (
    <section class="card padded stack" aria-labelledby="items-head">
      <h2 id="items-head">{words.items}</h2>
      {items.length > 10 && <FindField label={words.find(items.length)} value={filter} onInput={setFilter} />}
      <div class="item-list">
        {listed.map(({ id, name, unit }) => {
          const checked = chosen.items.includes(id);
          return (
            <Check
              key={id}
              label={unit === undefined ? name : `${name} [${unit}]`}
              checked={checked}
              disabled={!checked && chosen.items.length >= MOST_LINES}
              onChange={(add) => keepItems(add ? [...chosen.items, id] : chosen.items.filter((one) => one !== id))}
            />
          );
        })}
      </div>
      {listed.length < found.length && <p class="small quiet">{words.moreItems(found.length - listed.length)}</p>}
      {compares && <Others chosen={chosen} shown={shown} />}
    </section>
  );
}

function Others({ chosen: { others }, shown }: Pick<ItemsProps, 'chosen' | 'shown'>) {
  const [text, setText] = useState('');
  const other = parseOther(text);
  function add(event: Event) {
    event.preventDefault();
    if (other === undefined) return;
    keepOthers([...others, other]);
    setText('');
  }
  const nameOf = (id: string, item: string) => {
    const part = shown?.parts.find((one) => one.id === id && one.name !== undefined);
    const found = part?.series.items.find((one) => one.id === item || one.name === item);
    return part === undefined ? id : `${part.name}: ${found?.name ?? item}`;
  };
  return (
    <div class="stack">
      {others.length > 0 && (
        <ul class="other-list">
          {others.map(({ id, item }, n) => (
            <li key={`${id} ${item}`}>
              <span class="grow">{nameOf(id, item)}</span>
              <Button
                kind="ghost"
                small
                icon="cross"
                label={words.remove(nameOf(id, item))}
                onClick={() => keepOthers(others.filter((_, each) => each !== n))}
              />
            </li>
          ))}
        </ul>
      )}
      <form class="stack" onSubmit={add}>
        <Field
          label={words.compare}
          value={text}
          onInput={setText}
          hint={words.compareWhy}
          error={text.trim() !== '' && other === undefined ? words.notId : undefined}
        />
        <Button type="submit" small disabled={other === undefined}>
          {words.add}
        </Button>
      </form>
    </div>
  );
}
