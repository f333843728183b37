import { setQuery } from '../app/router.ts';

/** Chooses things of everyone or of the reader alone; the choice stands in the address (`?whose=mine`). */
export const Whose = ({ mine, label, all, own }: { mine: boolean; label: string; all: string; own: string }) => (
  <select
    class="input"
    aria-label={label}
    value={mine ? 'mine' : 'all'}
    onChange={(event) => setQuery({ whose: event.currentTarget.value === 'mine' ? 'mine' : undefined })}
  >
    <option value="all">{all}</option>
    <option value="mine">{own}</option>
  </select>
);
