import { useState } from 'preact/hooks';
import { place, setView } from '../../app/router.ts';
import { api, type LogLine } from '../../client/api.ts';
import { formatWholeTime, parseTime } from '../../client/format.ts';
import { useQuery } from '../../client/query.ts';
import { Button } from '../../parts/button.tsx';
import { Loaded } from '../../parts/states.tsx';
import { transferTexts as words } from '../../texts/transfers.ts';

const LEVELS = ['debug', 'info', 'warning', 'error'] as const;
const PAGE = 500;

/** The lines that a transfer has logged so far. */
export function Log({ id }: { id: string }) {
  const level = LEVELS.find((one) => one === place.value.view.get('log')) ?? 'info';
  const [wanted, setWanted] = useState(PAGE);
  const query = useQuery(
    `transfer ${id} log ${level} ${wanted}`,
    async (signal) => {
      const lines: LogLine[] = [];
      for (let cursor: string | undefined; ; ) {
        const page = await api('GET /api/conversion/transfer/{id}/log', {
          params: { id },
          query: { level, limit: PAGE, ...(cursor !== undefined && { cursor }) },
          signal,
        });
        lines.push(...page.data);
        cursor = page.cursor;
        if (cursor === undefined || lines.length >= wanted) return { lines, more: cursor !== undefined };
      }
    },
    { changes: ['transfer'] },
  );
  return (
    <section class="card padded stack" aria-label={words.log}>
      <div class="row between">
        <h2>{words.log}</h2>
        <select
          class="input log-level"
          aria-label={words.level}
          value={level}
          onChange={({ currentTarget: { value } }) => setView({ log: value === 'info' ? undefined : value })}
        >
          {LEVELS.map((one) => (
            <option key={one} value={one}>
              {words.levels[one]}
            </option>
          ))}
        </select>
      </div>
      <Loaded query={query}>
        {({ lines, more }) =>
          lines.length === 0 ? (
            <p class="quiet">{words.noLog}</p>
          ) : (
            <>
              {/* scrolls, so the keyboard must reach it */}
              <ol class="log" tabIndex={0} aria-label={words.log}>
                {lines.map((line, index) => (
                  <li key={index} class={line.level}>
                    <time dateTime={`${line.time}Z`} title={formatWholeTime(line.time)}>
                      {parseTime(line.time).toLocaleTimeString()}
                    </time>
                    <span>{line.level}</span>
                    <span>{line.message}</span>
                  </li>
                ))}
              </ol>
              {more && (
                <Button small onClick={() => setWanted(wanted + PAGE)}>
                  {words.moreLines}
                </Button>
              )}
            </>
          )
        }
      </Loaded>
    </section>
  );
}
