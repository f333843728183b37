import { useState } from 'preact/hooks';
import { api } from '../client/api.ts';
import { useQuery } from '../client/query.ts';
import { systemTexts as words } from '../texts/convert.ts';
import { Button } from './button.tsx';
import { Field } from './field.tsx';

const SHOWN = 8;

/**
 * Finds a coordinate system by name or code; Enter takes the first one.
 * @param chosen its code
 * @param none words of the button that takes the choice back
 */
export function SystemField({
  chosen,
  onChoose,
  hint,
  none,
}: {
  chosen: string | undefined;
  onChoose: (id: string | undefined) => void;
  hint: string;
  none: string;
}) {
  const [text, setText] = useState('');
  const asked = text.trim();
  const found = useQuery(asked.length < 2 || chosen !== undefined ? undefined : `systems ${asked}`, (signal) =>
    api('GET /api/crs/coordinate-system/list', { query: { text: asked, limit: SHOWN }, signal }),
  );
  const system = useQuery(chosen === undefined ? undefined : `system ${chosen}`, (signal) =>
    api('GET /api/crs/coordinate-system/{id}', { params: { id: chosen! }, signal }),
  );
  if (chosen !== undefined)
    return (
      <div class="field">
        <p class="label">{words.system}</p>
        <div class="row between">
          <span>
            {system.data?.name}{' '}
            <span class="quiet">
              {system.data?.authority ?? 'EPSG'}:{chosen}
            </span>
          </span>
          <Button small onClick={() => onChoose(undefined)}>
            {none}
          </Button>
        </div>
      </div>
    );
  const systems = found.data?.data ?? [];
  return (
    <div
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || asked === '') return;
        event.preventDefault();
        if (systems[0]) onChoose(String(systems[0].id));
      }}
    >
      <Field label={words.system} value={text} onInput={setText} hint={hint} autocomplete="off" optional />
      {found.data && (
        <ul class="systems" aria-label={words.found}>
          {systems.length === 0 && <li class="small quiet">{words.noneFound}</li>}
          {systems.map((one) => (
            <li key={one.id}>
              <Button small kind="ghost" onClick={() => onChoose(String(one.id))}>
                {one.name} ({one.authority}:{one.id})
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
