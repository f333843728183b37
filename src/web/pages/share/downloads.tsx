import { useEffect } from 'preact/hooks';
import { place, setView } from '../../app/router.ts';
import { to } from '../../client/address.ts';
import { api, type SharedDataset } from '../../client/api.ts';
import { useQuery } from '../../client/query.ts';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Wrong } from '../../parts/field.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Note } from '../../parts/page-head.tsx';
import { Progress } from '../../parts/progress.tsx';
import { ErrorState } from '../../parts/states.tsx';
import { shareTexts as words } from '../../texts/share.ts';
import { texts } from '../../texts.ts';

/** Formats that have a button of their own; the others are in a menu. */
const BUTTONS = 3;
const AGAIN_MS = 1000;

/** What a link lets its holder take. The conversion that was started stands in the address: a reload keeps it. */
export function SharedDownloads({ token, shared }: { token: string; shared: SharedDataset }) {
  const { downloads, formats = [] } = shared;
  const made = place.value.view.get('file');
  async function make(writerName: string) {
    const { id } = await api('POST /api/share/{token}/convert', { params: { token }, body: { writerName } });
    setView({ file: id });
  }
  const name = ({ writerName, extension }: (typeof formats)[number]) => words.format(writerName, extension);
  const others = formats.slice(BUTTONS).map((one) => ({ name: name(one), run: () => make(one.writerName) }));
  return (
    <section class="card padded stack" aria-labelledby="data">
      <h2 id="data">{words.data}</h2>
      {downloads === 'None' && <p class="quiet">{words.noDownloads}</p>}
      {downloads !== 'None' && (
        <ButtonLink
          kind="main"
          icon="download"
          href={to(`/api/share/${encodeURIComponent(token)}/download`)}
          download=""
        >
          {words.original}
        </ButtonLink>
      )}
      {formats.length > 0 && (
        <>
          <div class="row">
            {formats.slice(0, BUTTONS).map((one) => (
              <Button key={one.writerName} small onClick={() => make(one.writerName)}>
                {name(one)}
              </Button>
            ))}
            {others.length > 0 && (
              <Menu small label={words.moreFormats} items={others}>
                {words.moreFormats}
              </Menu>
            )}
          </div>
          <p class="hint">{words.formatsWhy}</p>
          {made && <Conversion key={made} token={token} id={made} />}
        </>
      )}
    </section>
  );
}

function Conversion({ token, id }: { token: string; id: string }) {
  const query = useQuery(`share ${token} file ${id}`, (signal) =>
    api('GET /api/share/{token}/convert/{id}', { params: { token, id }, signal }),
  );
  const { status, progress = 0, errorMessage, fileName } = query.data ?? {};
  const runs = status === 'Pending' || status === 'InProgress' || status === 'None';
  useEffect(() => {
    if (!runs) return;
    const timer = setInterval(query.again, AGAIN_MS);
    return () => clearInterval(timer);
  }, [runs, id]);
  if (query.data === undefined && query.error !== undefined)
    return <ErrorState error={query.error} again={query.again} />;
  return (
    <div role="status" class="stack">
      {runs && (
        <Progress label={words.making(words.data)} value={status === 'InProgress' ? progress / 100 : undefined}>
          {status === 'InProgress' ? words.percent(progress) : words.waiting}
        </Progress>
      )}
      {status === 'Error' && <Wrong>{errorMessage ?? words.notMade}</Wrong>}
      {status === 'Completed' && (
        <>
          <Note kind="ok">{words.made(fileName ?? '')}</Note>
          <ButtonLink
            icon="download"
            href={to(`/api/share/${encodeURIComponent(token)}/convert/${id}/download`)}
            download=""
          >
            {texts.download}
          </ButtonLink>
        </>
      )}
    </div>
  );
}
